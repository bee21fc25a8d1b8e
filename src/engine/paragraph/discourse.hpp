#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/learn/crf.hpp"

namespace mustcite::paragraph {

/// What a sentence of a related-work section does: the sentence classes of CORWA.
enum class Discourse : std::uint8_t {
  single_summary,      ///< sums up one cited work
  multi_summary,       ///< sums up several works at once
  narrative_citation,  ///< cites works in passing
  reflection,          ///< relates what is cited to the authors' own work
  transition,          ///< names a topic or leads over to one; cites nothing
  other
};
inline constexpr std::size_t kDiscourses = 6;

/// As CORWA writes it: `Single_summ`, `Multi_summ`, `Narrative_cite`, `Reflection`, `Transition`, `Other`.
[[nodiscard]] std::string_view name_of(Discourse tag) noexcept;
[[nodiscard]] std::optional<Discourse> parse_discourse(std::string_view name) noexcept;

/// What the tagger looks at: words, pairs of words, marks of citations and their forms, the place in the
/// paragraph, and the sentences before and behind. One position a sentence.
[[nodiscard]] learn::CrfSequence discourse_features(std::span<const std::string> sentences);

/// Tags the sentences of a paragraph with a linear-chain conditional random field. Read-only and thread-safe.
class Tagger {
 public:
  explicit Tagger(learn::CrfModel model);
  /// From a model folder (`labels.crf`). Throws not_found, corrupt.
  static Tagger load(const std::filesystem::path& folder);

  struct Tag {
    Discourse tag = Discourse::other;
    float probability = 0;  ///< of this tag at this place
  };
  [[nodiscard]] std::vector<Tag> tag(std::span<const std::string> sentences) const;

 private:
  learn::CrfModel model_;
};

/// Which sentence states the topic: the first transition among the first three sentences, else the first
/// sentence. The published system takes topic sentences from these tags and does not say what it does without
/// one. Precondition: there is a sentence.
struct Topic {
  std::size_t sentence = 0;
  bool tagged = false;  ///< by a transition; else the fallback
};
[[nodiscard]] Topic topic_of(std::span<const Discourse> tags);

}  // namespace mustcite::paragraph
