#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/ids.hpp"
#include "engine/dense/recipe.hpp"
#include "engine/index/sparse_index.hpp"

namespace mustcite::dense {

using index::Scored;

/// How vectors are kept.
enum class Storage {
  float16,  ///< with a copy in eight bits, which finds the few that are read
  int8      ///< a third of the space; a vector is off by about half a percent of its length
};

[[nodiscard]] std::string_view name_of(Storage storage) noexcept;
/// "float16" or "int8". Throws usage.
[[nodiscard]] Storage parse_storage(std::string_view name);

/// What a file of vectors says of itself.
struct VectorInfo {
  Recipe recipe;
  std::string model_folder;     ///< where the model lay when they were made
  std::string adapter_folder;   ///< the same of the adapter; empty without one
  std::string model_digest;     ///< see model::ModelFolder::digest
  std::string snapshot_digest;  ///< of the documents whose rows they are
  std::uint32_t rows = 0;
  std::uint32_t dims = 0;
  Storage storage = Storage::float16;
};

struct DenseSearch {
  std::size_t depth = 100;
  /// Only rows below; nothing: all.
  std::optional<std::uint32_t> prefix;
  /// Ascending rows that never come back.
  std::span<const DocId> exclude;
};

/// The vectors of a snapshot's documents, row by row, and the search among them. Mapped, immutable,
/// thread-safe.
class VectorFile {
 public:
  /// `folder` holds vectors.bin. Throws not_found, corrupt for a damaged file; both name the command that
  /// makes it.
  static VectorFile open(const std::filesystem::path& folder);
  VectorFile(VectorFile&&) noexcept;
  VectorFile& operator=(VectorFile&&) noexcept;
  ~VectorFile();

  [[nodiscard]] const VectorInfo& info() const noexcept;
  /// The vector of a row as it is kept.
  void read(std::uint32_t row, std::span<float> out) const;
  /// Digest of the text that the row's vector was made of.
  [[nodiscard]] std::uint64_t text_digest(std::uint32_t row) const;

  /// The best rows by the recipe's metric: falling score, ties by row. Exact over the vectors as they are
  /// kept: rows are left out by a bound that holds for every one of them, and the others are computed in
  /// full.
  [[nodiscard]] std::vector<Scored> search(std::span<const float> query, const DenseSearch& search) const;
  /// Plain reference of `search`: computes every row in full.
  [[nodiscard]] std::vector<Scored> search_plain(std::span<const float> query,
                                                 const DenseSearch& search) const;
  /// Scores of single rows.
  void score(std::span<const float> query, std::span<const DocId> docs, std::span<float> out) const;

 private:
  struct Impl;
  explicit VectorFile(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// Writes vectors.bin into a folder, row by row. Vectors are given in half precision, whatever is kept.
class VectorWriter {
 public:
  VectorWriter(const std::filesystem::path& folder, VectorInfo info);
  ~VectorWriter();
  VectorWriter(const VectorWriter&) = delete;
  VectorWriter& operator=(const VectorWriter&) = delete;

  void add(std::span<const std::uint16_t> vector, std::uint64_t text_digest);
  /// Syncs; `info.rows` are the rows added.
  void close();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mustcite::dense
