#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/late/index_file.hpp"
#include "engine/late/train_codec.hpp"

namespace mustcite::late {

/// Documents in their compressed form: of each the number of tokens, then token by token the centroid and the
/// residual, ordered by centroid (MaxSim does not look at the order).
struct CompressedPart {
  std::vector<std::uint32_t> counts;
  std::vector<std::uint16_t> codes;
  std::vector<std::uint8_t> residuals;
  std::vector<std::uint64_t> texts;  ///< digests of the documents' texts

  /// Compresses a document's vectors behind the others.
  void add(std::span<const float> vectors, std::uint64_t text_digest, const Codec& codec,
           const NearestCentroid& nearest);
  void append(const CompressedPart& other);
  /// The same without the residuals, which are most of the bytes.
  void append_outline(const CompressedPart& other);
};

/// A part and its file, written by one rename. `identity` tells builds apart.
void write_part(const std::filesystem::path& file, const CompressedPart& part, const std::string& identity);
/// Throws corrupt for a damaged file or one of another build.
[[nodiscard]] CompressedPart read_part(const std::filesystem::path& file, const std::string& identity,
                                       const Codec& codec);

/// The same of the codec of a build.
void write_codec_file(const std::filesystem::path& file, const Codec& codec, const std::string& identity);
[[nodiscard]] Codec read_codec_file(const std::filesystem::path& file, const std::string& identity);

/// Hands out residuals, a few at a time, in the order of the documents.
using Residuals = std::function<void(const std::function<void(std::span<const std::uint8_t>)>& write)>;

/// Writes late.bin of these documents into `folder`, the inverted lists included; their residuals come from
/// `residuals`. Rows, tokens, dimensions, bits and centroids of `info` are filled in. Returns the size of the
/// file.
std::uint64_t write_index(const std::filesystem::path& folder, IndexInfo info, const Codec& codec,
                          const CompressedPart& documents, const Residuals& residuals);
/// The same of documents that are whole.
std::uint64_t write_index(const std::filesystem::path& folder, const IndexInfo& info, const Codec& codec,
                          const CompressedPart& documents);

}  // namespace mustcite::late
