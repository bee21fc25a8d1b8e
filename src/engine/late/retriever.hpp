#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/late/build.hpp"
#include "engine/late/index_file.hpp"

namespace mustcite::late {

/// Answers texts from one index of token vectors: encodes them with the model that made it, and searches.
/// Thread-safe; the encoder works on one call at a time, and vectors of texts are kept.
class Retriever {
 public:
  /// Opens the index in `folder` and resolves its model where it lay when it was made. Throws not_found or
  /// corrupt naming the command that makes it: for an index of other documents than the snapshot's, and when
  /// the model there is not the one that made it any more. The encoder is loaded at the first text.
  Retriever(const std::filesystem::path& folder, const std::string& snapshot_digest,
            TokenEncoderFactory make_encoder);
  ~Retriever();
  Retriever(const Retriever&) = delete;
  Retriever& operator=(const Retriever&) = delete;

  [[nodiscard]] const LateIndex& index() const noexcept;
  /// The vectors of a query, row-major; those of the last ones are remembered.
  [[nodiscard]] std::vector<float> encode(const dense::TextParts& query) const;
  /// Encodes many queries at once, so that `encode` finds them.
  void prepare(std::span<const dense::TextParts> queries) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mustcite::late
