#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/progress.hpp"
#include "engine/baseline/batches.hpp"
#include "engine/baseline/world.hpp"
#include "engine/hatten/network.hpp"
#include "engine/hatten/options.hpp"
#include "engine/hatten/words.hpp"

namespace mustcite::hatten {

/// The first stage: the hierarchical encoder with what it is trained on. Not thread-safe.
class Prefetcher {
 public:
  /// The data must outlive it.
  Prefetcher(const baseline::Data& data, const Options& options);

  /// One pass over the training examples; the mean loss. `epochs`: how many there will be at most, which the
  /// rate's fall depends on.
  double epoch(std::size_t number, std::size_t epochs, Progress& progress);

  /// Unit vectors [documents, width].
  [[nodiscard]] at::Tensor documents(std::span<const DocId> documents) const;
  [[nodiscard]] at::Tensor queries(std::span<const baseline::Example> examples) const;
  /// Of each example the first `depth` of `documents` (ascending) that are older than it and that it does not
  /// cite, best first.
  [[nodiscard]] std::vector<std::vector<DocId>> prefetch(std::span<const baseline::Example> examples,
                                                         std::span<const DocId> documents,
                                                         std::size_t depth) const;

  [[nodiscard]] Network& network() noexcept { return network_; }
  [[nodiscard]] const Network& network() const noexcept { return network_; }
  /// weights.safetensors, the words, and vectors.bin of every document.
  void write(const std::filesystem::path& folder) const;

 private:
  double step(const baseline::BatchPlan& plan, double rate, std::uint64_t seed);

  const baseline::Data& data_;
  Options options_;
  std::optional<std::filesystem::path> encoder_;
  WordReader reader_;
  Network network_;
};

/// Vectors of papers in parts of a bounded size, unit length, without gradients: [papers, width].
[[nodiscard]] at::Tensor unit_vectors(const Network& network, std::size_t papers,
                                      const std::function<PaperWords(std::size_t)>& read);

/// The shape that the options ask for, over these words.
[[nodiscard]] Shape shape_of(const Options& options, std::int64_t words, std::int64_t given);

}  // namespace mustcite::hatten
