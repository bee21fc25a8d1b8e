#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/dense/build.hpp"
#include "engine/dense/vector_file.hpp"

namespace mustcite::dense {

/// Answers texts from one file of vectors: encodes them with the model that made it, and searches.
/// Thread-safe; the encoder works on one call at a time, and vectors of texts are kept.
class Retriever {
 public:
  /// Opens the vectors in `folder` and resolves their model where it lay when they were made. Throws
  /// not_found or corrupt naming the command that makes them: for vectors of other documents than the
  /// snapshot's, and when the model there is not the one that made them any more. The encoder is loaded at
  /// the first text.
  Retriever(const std::filesystem::path& folder, const std::string& snapshot_digest,
            EncoderFactory make_encoder);
  ~Retriever();
  Retriever(const Retriever&) = delete;
  Retriever& operator=(const Retriever&) = delete;

  [[nodiscard]] const VectorFile& vectors() const noexcept;
  /// The best rows for a vector: exact, or by the approximate index where one was built beside the vectors.
  [[nodiscard]] std::vector<Scored> search(std::span<const float> query, const DenseSearch& search) const;
  /// The vector of a query; a few thousand of the last ones are remembered.
  [[nodiscard]] std::vector<float> encode(const TextParts& query) const;
  /// Encodes many queries at once, so that `encode` finds them.
  void prepare(std::span<const TextParts> queries) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mustcite::dense
