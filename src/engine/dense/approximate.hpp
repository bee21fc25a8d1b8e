#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/dense/vector_file.hpp"

namespace mustcite::dense {

/// Indexes that find most of the nearest vectors without reading every row.
enum class Approximate {
  hnsw,   ///< a graph of neighbours: fast, close to exact, as large as the vectors again
  ivf_pq  ///< lists of clusters with compressed vectors: small, less close
};

[[nodiscard]] std::string_view name_of(Approximate kind) noexcept;
/// "hnsw" or "ivfpq". Throws usage.
[[nodiscard]] Approximate parse_approximate(std::string_view name);

/// An opened approximate index. Thread-safe.
class ApproximateIndex {
 public:
  virtual ~ApproximateIndex() = default;
  /// About the `count` nearest rows, in no promised order.
  [[nodiscard]] virtual std::vector<std::uint32_t> candidates(std::span<const float> query,
                                                              std::size_t count) const = 0;
};

/// What the library with Faiss offers to the program, which never links it.
class ApproximatePlugin {
 public:
  virtual ~ApproximatePlugin() = default;
  /// Builds an index of every row and writes it to `file`. Throws invalid_input when there are too few rows
  /// for it.
  virtual void build(const VectorFile& vectors, Approximate kind,
                     const std::filesystem::path& file) const = 0;
  /// Throws corrupt for a file that is none.
  [[nodiscard]] virtual std::unique_ptr<ApproximateIndex> open(const std::filesystem::path& file) const = 0;
};

/// Version of the interface above; `int mustcite_approximate_version()` and
/// `const ApproximatePlugin* mustcite_approximate_plugin()` are what the library exports.
inline constexpr int kApproximateVersion = 1;

/// The library, loaded on the first call from $MUSTCITE_APPROXIMATE_PLUGIN, else from where the neural one
/// lies. Throws unavailable when it is absent.
[[nodiscard]] const ApproximatePlugin& approximate_plugin();

/// Builds the index of the vectors in `folder` beside them. A `folder` that is made anew loses it.
void build_approximate(const std::filesystem::path& folder, Approximate kind);

/// The index of the vectors in `folder`; nothing when there is none. Throws corrupt when it is damaged or
/// that of other vectors.
[[nodiscard]] std::unique_ptr<ApproximateIndex> open_approximate(const std::filesystem::path& folder,
                                                                 const VectorFile& vectors);

/// `VectorFile::search` among the candidates of an approximate index: their scores are exact, and some rows
/// may be missed.
[[nodiscard]] std::vector<Scored> search_approximately(const VectorFile& vectors,
                                                       const ApproximateIndex& index,
                                                       std::span<const float> query,
                                                       const DenseSearch& search);

}  // namespace mustcite::dense
