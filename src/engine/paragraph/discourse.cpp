#include "engine/paragraph/discourse.hpp"

#include <algorithm>
#include <array>

#include "core/base/error.hpp"
#include "core/io/file.hpp"

namespace mustcite::paragraph {
namespace {

constexpr std::array<std::string_view, kDiscourses> kNames{"Single_summ", "Multi_summ", "Narrative_cite",
                                                           "Reflection",  "Transition", "Other"};
/// A topic is stated at the beginning; later transitions lead over to something else.
constexpr std::size_t kTopicSentences = 3;
constexpr std::size_t kMostModelBytes = std::size_t{64} << 20;

}  // namespace

std::string_view name_of(Discourse tag) noexcept {
  return kNames[static_cast<std::size_t>(tag)];
}

std::optional<Discourse> parse_discourse(std::string_view name) noexcept {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Discourse>(found - kNames.begin());
}

Tagger::Tagger(learn::CrfModel model) : model_(std::move(model)) {
  if (!std::equal(kNames.begin(), kNames.end(), model_.labels().begin(), model_.labels().end()))
    fail(ErrorCode::corrupt, "the discourse tagger has other labels than CORWA's six: train it anew");
}

Tagger Tagger::load(const std::filesystem::path& folder) {
  return Tagger(learn::CrfModel::from_bytes(io::read_file(folder / "labels.crf", kMostModelBytes)));
}

std::vector<Tagger::Tag> Tagger::tag(std::span<const std::string> sentences) const {
  std::vector<Tag> tags;
  if (sentences.empty()) return tags;
  const auto found = model_.label(discourse_features(sentences));
  for (std::size_t i = 0; i < sentences.size(); ++i)
    tags.push_back({static_cast<Discourse>(found.labels[i]), found.probabilities[i]});
  return tags;
}

Topic topic_of(std::span<const Discourse> tags) {
  const std::size_t most = std::min(tags.size(), kTopicSentences);
  for (std::size_t i = 0; i < most; ++i) {
    if (tags[i] == Discourse::transition) return {i, true};
  }
  return {0, false};
}

}  // namespace mustcite::paragraph
