#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/late/byte_lanes.hpp"
#include "engine/late/index_file.hpp"
#include "engine/snapshot/section_file.hpp"

/// What lies inside late.bin: shared by index_file.cpp, search.cpp and build.cpp only.
namespace mustcite::late {

inline constexpr snapshot::FileKind kIndexKind{"MCLATE\r\n", 1, "index of token vectors",
                                               "mustcite index build --dense RECIPE"};
inline constexpr const char* kIndexFile = "late.bin";
inline constexpr std::size_t kMostDims = 4096;

[[nodiscard]] std::string info_text(const IndexInfo& info);
/// Throws corrupt through the file.
[[nodiscard]] IndexInfo parse_info(std::string_view text, const snapshot::SectionFile& file);

/// The codec's sections: `centres`, `weights`, `limits`.
void write_codec(snapshot::SectionWriter& out, const Codec& codec);
[[nodiscard]] Codec read_codec(const snapshot::SectionFile& file, const IndexInfo& info);

/// An opened index.
struct IndexData {
  explicit IndexData(const std::filesystem::path& path);

  [[nodiscard]] std::size_t count(std::size_t row) const {
    return static_cast<std::size_t>(first[row + 1] - first[row]);
  }
  [[nodiscard]] std::span<const std::uint16_t> codes_of(std::size_t row) const {
    return codes.subspan(first[row], count(row));
  }
  [[nodiscard]] std::span<const std::uint8_t> residuals_of(std::size_t row) const {
    return residuals.subspan(first[row] * residual_bytes, count(row) * residual_bytes);
  }
  [[nodiscard]] std::uint32_t end(const LateSearch& search) const {
    return std::min(search.prefix.value_or(info.rows), info.rows);
  }
  /// The vectors of a document into `out`, which grows.
  void decompress(std::size_t row, std::vector<float>& out) const;

  snapshot::SectionFile file;
  IndexInfo info;
  Codec codec;
  std::size_t residual_bytes;
  std::span<const std::uint64_t> first;  ///< of each document its first token, and of all at the end
  std::span<const std::uint16_t> codes;  ///< ascending within a document
  std::span<const std::uint8_t> residuals;
  std::span<const std::uint64_t> starts;  ///< of each centroid where its list begins
  std::span<const std::uint32_t> lists;   ///< documents with a token at it, ascending
  std::span<const std::uint64_t> texts;
  std::vector<std::int8_t> centre_bytes;  ///< the centroids in eight bits
  std::vector<ByteVector> centres;
};

}  // namespace mustcite::late
