#pragma once

#include <cstdint>

#include "core/base/date.hpp"
#include "engine/snapshot/section_file.hpp"

/// What lies in `snapshot.bin`: shared by writer and reader only.
namespace mustcite::snapshot::layout {

inline constexpr FileKind kKind{"MCSNAP\r\n", 1, "snapshot", "mustcite index build"};
inline constexpr const char* kFile = "snapshot.bin";
inline constexpr const char* kManifest = "snapshot.json";
inline constexpr std::uint32_t kNone = 0xffffffff;

/// Strings of a document, in this order, one after the other in section `text`.
enum Field : std::uint32_t { id, title, abstract, authors, venue, url, doi, arxiv_id, field_count };

struct DocumentRecord {
  std::uint64_t offset = 0;
  std::uint32_t length[field_count] = {};
  std::int32_t year = 0;
  std::uint16_t month = 0;
  std::uint16_t day = 0;
};
static_assert(sizeof(DocumentRecord) == 48);

/// Sorted by (hash, row): a lookup table on disk.
struct HashRecord {
  std::uint64_t hash = 0;
  std::uint32_t row = 0;
  std::uint32_t zero = 0;
};
static_assert(sizeof(HashRecord) == 16);

struct CitingRecord {
  std::uint64_t offset = 0;  ///< id, title and abstract in section `citetext`; a document's title and abstract are empty here
  std::uint32_t id_length = 0;
  std::uint32_t title_length = 0;
  std::uint32_t abstract_length = 0;
  std::uint32_t doc = kNone;
  std::int32_t year = 0;
  std::uint32_t evidence_begin = 0;
  std::uint32_t evidence_end = 0;
  std::uint32_t zero = 0;
};
static_assert(sizeof(CitingRecord) == 40);

struct EvidenceRecord {
  std::uint64_t marker_offset = 0;  ///< in section `context`
  std::uint32_t marker_length = 0;
  std::uint32_t citing = 0;
  std::uint32_t cited = 0;
  std::int32_t mentions = -1;  ///< -1: unknown
  std::int32_t exp_mentions = -1;
  std::uint32_t context_begin = 0;  ///< rows of section `contexts`
  std::uint32_t context_count = 0;
  std::uint32_t zero = 0;
};
static_assert(sizeof(EvidenceRecord) == 40);

struct ContextRecord {
  std::uint64_t offset = 0;  ///< section name and sentence in section `context`
  std::uint32_t section_length = 0;
  std::uint32_t text_length = 0;
};
static_assert(sizeof(ContextRecord) == 16);

/// Unknown years sort after every known one.
inline std::uint32_t year_key(std::int32_t year) noexcept {
  return year == 0 ? kNone : static_cast<std::uint32_t>(year);
}

}  // namespace mustcite::snapshot::layout
