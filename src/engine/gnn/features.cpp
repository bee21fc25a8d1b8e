#include "engine/gnn/features.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <unordered_map>

#include "core/base/error.hpp"

namespace mustcite::gnn {
namespace {

constexpr std::uint32_t kRowsAtOnce = 8192;

at::Tensor empty_matrix(std::size_t rows, std::size_t columns) {
  return at::empty({static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns)}, at::kFloat);
}

std::span<float> values_of(const at::Tensor& tensor) {
  return {tensor.data_ptr<float>(), static_cast<std::size_t>(tensor.numel())};
}

void shuffle(auto& items, std::mt19937_64& random) {
  for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random() % i]);
}

}  // namespace

at::Tensor document_features(const baseline::TextVectors& vectors, std::uint32_t documents) {
  const std::size_t dims = vectors.dimensions();
  auto features = empty_matrix(documents, dims);
  const auto values = values_of(features);
  for (std::uint32_t begin = 0; begin < documents; begin += kRowsAtOnce) {
    const std::size_t count = std::min(kRowsAtOnce, documents - begin);
    vectors.read(begin, values.subspan(begin * dims, count * dims));
  }
  return features;
}

at::Tensor query_features(const baseline::Data& data, std::span<const baseline::Example> examples) {
  const auto vectors = baseline::query_vectors(data, examples);
  auto features = empty_matrix(examples.size(), data.features->dimensions());
  std::copy(vectors.begin(), vectors.end(), values_of(features).begin());
  return features;
}

at::Tensor query_features(const baseline::TextVectors& vectors, std::span<const baseline::Request> requests) {
  std::vector<dense::TextParts> texts;
  for (const auto& request : requests) texts.push_back({request.title, request.abstract, request.topic});
  auto features = empty_matrix(requests.size(), vectors.dimensions());
  vectors.encode(texts, values_of(features));
  return features;
}

std::unique_ptr<baseline::TextVectors> features_of(const baseline::Card& card, const baseline::World& world) {
  auto vectors =
      baseline::open_text_vectors(card.features, *world.snapshot, world.index_folder, world.make_encoder);
  if (vectors->digest() != card.features_digest) {
    fail(ErrorCode::corrupt,
         "the model {} was trained on other vectors of {} than the index has now: train it anew with "
         "`mustcite train {}`",
         card.name, card.features, card.baseline);
  }
  return vectors;
}

std::vector<Batch> batches_by_year(std::span<const baseline::Example> examples, std::size_t size,
                                   std::uint64_t seed, std::uint64_t epoch) {
  std::map<int, Batch> years;
  for (std::size_t i = 0; i < examples.size(); ++i) years[examples[i].year].push_back(i);
  std::mt19937_64 random(seed * 1000003 + epoch);
  std::vector<Batch> batches;
  for (auto& [year, all] : years) {
    shuffle(all, random);
    const std::size_t most = size == 0 ? all.size() : size;
    for (std::size_t begin = 0; begin < all.size(); begin += most) {
      const auto first = all.begin() + static_cast<std::ptrdiff_t>(begin);
      batches.emplace_back(first, first + static_cast<std::ptrdiff_t>(std::min(most, all.size() - begin)));
    }
  }
  shuffle(batches, random);
  return batches;
}

std::vector<baseline::Example> with_hard_negatives(const baseline::Data& data) {
  auto examples = data.train;
  std::vector<train::Example> plain(examples.begin(), examples.end());
  train::NegativeOptions options;
  options.threads = data.world.threads;
  SilentProgress progress;
  train::ExampleReport report;
  train::mine_negatives(*data.world.snapshot, *data.world.text, options, plain, report, progress);
  for (std::size_t i = 0; i < plain.size(); ++i) examples[i].negatives = std::move(plain[i].negatives);
  return examples;
}

BatchDocuments draw_documents(std::span<const baseline::Example> examples, const Batch& batch,
                              const DrawOptions& options, std::uint64_t key) {
  std::mt19937_64 random(key);
  BatchDocuments drawn;
  std::unordered_map<std::uint32_t, std::size_t> places;
  const auto add = [&](DocId doc) {
    if (places.emplace(doc.value, drawn.documents.size()).second) drawn.documents.push_back(doc);
  };
  for (const std::size_t i : batch) {
    const auto& example = examples[i];
    auto positives = example.positives;
    shuffle(positives, random);
    for (std::size_t k = 0; k < std::min(options.positives, positives.size()); ++k) add(positives[k]);
    auto hard = example.negatives;
    shuffle(hard, random);
    const std::size_t hards = std::min(options.hard, hard.size());
    for (std::size_t k = 0; k < hards; ++k) add(hard[k]);
    for (std::size_t k = 0; k < options.negatives && example.as_of.documents > 0; ++k)
      add(DocId{static_cast<std::uint32_t>(random() % example.as_of.documents)});
  }
  const std::size_t columns = drawn.documents.size();
  drawn.related.assign(batch.size() * columns, 0.0F);
  drawn.unrelated.assign(batch.size() * columns, 0.0F);
  for (std::size_t q = 0; q < batch.size(); ++q) {
    const auto& example = examples[batch[q]];
    for (std::size_t d = 0; d < columns; ++d) {
      const DocId doc = drawn.documents[d];
      const bool older = doc.value < example.older;
      const bool known = std::binary_search(example.known.begin(), example.known.end(), doc);
      drawn.unrelated[q * columns + d] = older && !known ? 1.0F : 0.0F;
      const auto at = std::lower_bound(example.positives.begin(), example.positives.end(), doc);
      if (at != example.positives.end() && *at == doc)
        drawn.related[q * columns + d] =
            example.grades[static_cast<std::size_t>(at - example.positives.begin())];
    }
  }
  return drawn;
}

at::Tensor matrix(const std::vector<float>& values, std::size_t rows) {
  auto tensor = empty_matrix(rows, rows == 0 ? 0 : values.size() / rows);
  std::copy(values.begin(), values.end(), values_of(tensor).begin());
  return tensor;
}

}  // namespace mustcite::gnn
