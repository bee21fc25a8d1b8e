#include "engine/baseline/world.hpp"

#include <algorithm>

#include "core/base/error.hpp"
#include "core/base/hash.hpp"

namespace mustcite::baseline {
namespace {

std::uint8_t grade_of(const snapshot::EvidenceView& evidence) {
  Citation citation;
  citation.mentions = evidence.mentions;
  citation.exp_mentions = evidence.exp_mentions;
  return counts_for(citation, Tier::must, {}) ? 2 : 1;
}

Example complete(const snapshot::Snapshot& snapshot, train::Example from) {
  Example example;
  static_cast<train::Example&>(example) = std::move(from);
  const auto row = snapshot.find_citing(example.id);
  const auto view = snapshot.citing(*row);
  example.year = view.year;
  example.as_of = as_of(snapshot, Date{view.year, 0, 0});
  if (example.paper != snapshot::kNoDoc) example.venue = snapshot.document(example.paper).venue;
  example.grades.assign(example.positives.size(), 1);
  for (std::uint32_t e = view.evidence_begin; e < view.evidence_end; ++e) {
    const auto evidence = snapshot.evidence(e);
    const auto at = std::lower_bound(example.positives.begin(), example.positives.end(), evidence.cited);
    if (at == example.positives.end() || *at != evidence.cited) continue;
    auto& grade = example.grades[static_cast<std::size_t>(at - example.positives.begin())];
    grade = std::max(grade, grade_of(evidence));
  }
  return example;
}

bool is_held_out(const std::string& id, std::uint64_t seed, double share) {
  const std::string key = id + "#" + std::to_string(seed);
  const std::uint64_t code = checksum64(std::as_bytes(std::span(key)));
  return static_cast<double>(code >> 11) * 0x1.0p-53 < share;
}

}  // namespace

AsOf as_of(const snapshot::Snapshot& snapshot, const std::optional<Date>& before) {
  return {snapshot.prefix(before), snapshot.evidence_prefix(before)};
}

Data make_data(const World& world, const Recipe& recipe) {
  Data data;
  data.world = world;
  data.recipe = recipe;
  const auto& snapshot = *world.snapshot;
  const auto& training = recipe.training;
  data.features = open_text_vectors(training.features, snapshot, world.index_folder, world.make_encoder);
  auto all = train::make_examples(snapshot, Tier::all, training.first_year, training.last_year, data.report);
  for (auto& one : all) {
    Example example = complete(snapshot, std::move(one));
    data.until = std::max(data.until, example.year);
    auto& part = is_held_out(example.id, training.seed, training.held_out) ? data.held_out : data.train;
    part.push_back(std::move(example));
  }
  if (data.train.empty()) {
    fail(ErrorCode::invalid_input, "training {}: all {} examples are held out; lower held_out in [training]",
         recipe.name, data.held_out.size());
  }
  data.all = as_of(snapshot, Date{data.until + 1, 0, 0});
  return data;
}

std::vector<float> query_vectors(const Data& data, std::span<const Example> examples) {
  const std::size_t dims = data.features->dimensions();
  std::vector<float> vectors(examples.size() * dims);
  std::vector<dense::TextParts> texts;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < examples.size(); ++i) {
    const auto row = std::span<float>(vectors).subspan(i * dims, dims);
    if (examples[i].paper != snapshot::kNoDoc && data.features->symmetric()) {
      data.features->read(examples[i].paper.value, row);
    } else {
      texts.push_back({examples[i].title, examples[i].abstract, {}});
      places.push_back(i);
    }
  }
  std::vector<float> encoded(texts.size() * dims);
  if (!texts.empty()) data.features->encode(texts, encoded);
  for (std::size_t i = 0; i < places.size(); ++i) {
    std::copy_n(encoded.begin() + static_cast<std::ptrdiff_t>(i * dims), dims,
                vectors.begin() + static_cast<std::ptrdiff_t>(places[i] * dims));
  }
  return vectors;
}

}  // namespace mustcite::baseline
