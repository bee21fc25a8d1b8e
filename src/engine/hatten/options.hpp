#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "engine/baseline/world.hpp"

namespace mustcite::hatten {

/// The table [model] of a recipe of `hatten-rr`.
struct Options {
  /// Folder of an encoder of the BERT family: its words with their vectors, and the reranker's first weights.
  /// "auto": the one behind the index's vectors. "none": words are learnt from scratch, nothing is reranked.
  std::string encoder = "auto";
  std::size_t vocabulary = 40000;  ///< words learnt from scratch, at most
  std::size_t width = 128;
  std::size_t heads = 8;
  std::size_t inner = 256;
  std::size_t words = 96;  ///< of a paragraph
  double dropout = 0.1;
  double margin = 0.05;
  double weight_decay = 1e-5;
  std::size_t positives = 2;      ///< cited papers of a query in a batch
  std::size_t hard = 2;           ///< prefetched ones that it does not cite
  std::size_t easy = 1;           ///< any others
  std::size_t prefetched = 100;   ///< hard negatives are drawn from the first so many
  std::size_t refreshed = 10000;  ///< documents whose vectors are renewed before each epoch; 0: all

  std::size_t rerank_depth = 50;  ///< first so many of the prefetched are put into a new order; 0: none
  std::size_t rerank_epochs = 2;
  std::size_t rerank_queries = 1000;  ///< training queries of an epoch
  std::size_t rerank_negatives = 4;   ///< of a cited paper
  std::size_t rerank_layers = 2;      ///< uppermost layers that learn; 0: all
  std::size_t rerank_words = 160;     ///< tokens of a pair
  double rerank_rate = 5e-5;
  double rerank_margin = 0.1;
  std::size_t rerank_measured = 20;  ///< put into a new order where training measures itself
};

/// Throws invalid_input for unknown keys and impossible values.
[[nodiscard]] Options read_options(const baseline::Recipe& recipe);

/// The encoder's folder; nothing where words are learnt from scratch. Throws not_found for one that is not
/// there.
[[nodiscard]] std::optional<std::filesystem::path> encoder_folder(const Options& options,
                                                                  const std::filesystem::path& index_folder,
                                                                  const std::string& features);

}  // namespace mustcite::hatten
