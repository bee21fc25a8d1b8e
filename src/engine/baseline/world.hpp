#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/baseline/recipe.hpp"
#include "engine/baseline/text_vectors.hpp"
#include "engine/graph/citation_graph.hpp"
#include "engine/index/sparse_index.hpp"
#include "engine/snapshot/snapshot.hpp"
#include "engine/train/examples.hpp"

namespace mustcite::baseline {

/// The index folder that a baseline works in. What is pointed to must outlive it.
struct World {
  const snapshot::Snapshot* snapshot = nullptr;
  const graph::CitationGraph* graph = nullptr;
  const index::SparseIndex* text = nullptr;  ///< title and abstract of each document, analysed
  std::filesystem::path index_folder;
  dense::EncoderFactory make_encoder;  ///< for features that need a model
  std::size_t threads = 0;             ///< 0: all cores
};

/// What may be looked at: documents and citations strictly older than a date.
struct AsOf {
  std::uint32_t documents = 0;  ///< rows [0, documents)
  std::uint32_t edges = 0;      ///< evidence rows [0, edges)
  bool operator==(const AsOf&) const = default;
};

/// As of a year; everything without one.
[[nodiscard]] AsOf as_of(const snapshot::Snapshot& snapshot, const std::optional<Date>& before);

/// A citing paper as a training query, as of its own year.
struct Example : train::Example {
  int year = 0;
  std::string venue;  ///< may be empty
  AsOf as_of;         ///< of its year: never its own citations
  /// Of each positive: 1 cited, 2 mentioned in experiments or at least three times.
  std::vector<std::uint8_t> grades;
};

/// What a baseline learns from. train + held_out == examples of the report.
struct Data {
  World world;
  Recipe recipe;
  std::shared_ptr<const TextVectors> features;
  std::vector<Example> train;
  std::vector<Example> held_out;  ///< measures each epoch; never learnt from
  train::ExampleReport report;
  int until = 0;  ///< newest year of the evidence: the model answers queries of later dates
  AsOf all;       ///< everything up to `until`
};

/// The examples of the snapshot's evidence in the recipe's years, split by a hash of their ids and the seed.
/// Throws invalid_input when there is nothing to learn from.
[[nodiscard]] Data make_data(const World& world, const Recipe& recipe);

/// Vectors of the examples' texts, one row each: of their own row in the file of vectors where they are
/// documents, else encoded.
[[nodiscard]] std::vector<float> query_vectors(const Data& data, std::span<const Example> examples);

}  // namespace mustcite::baseline
