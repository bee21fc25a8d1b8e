#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/rank/lsi.hpp"
#include "engine/snapshot/section_file.hpp"

/// What lies in an LSI file: shared by its builder and its reader only.
namespace mustcite::rank {

inline constexpr snapshot::FileKind kLsiKind{"MCLSIV\r\n", 3, "latent semantic vectors",
                                             "mustcite index build"};

struct LsiHead {
  LsiSpan span;
  std::uint32_t dims = 0;
  std::uint32_t reserved = 0;
};
static_assert(sizeof(LsiHead) == 24);

/// Terms as vectors: what turns a text into a latent vector.
struct LsiBasis {
  static constexpr std::uint32_t kNoRow = 0xffffffff;

  std::span<const std::uint32_t> rows;  ///< per term of the text index: row of `vectors`, or kNoRow
  std::span<const float> idf;           ///< per row
  QuantisedRows vectors;

  [[nodiscard]] std::vector<float> fold_in(std::span<const index::QueryTerm> terms) const;
};

}  // namespace mustcite::rank
