#include "engine/snapshot/section_file.hpp"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "core/base/hash.hpp"

namespace mustcite::snapshot {
namespace {

static_assert(std::endian::native == std::endian::little, "the files are little-endian and mapped as they are");

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kTagBytes = 8;
constexpr std::uint32_t kMaxSections = 256;

struct Head {
  char magic[8];
  std::uint32_t version;
  char rest[52];
};
struct TableEntry {
  char tag[kTagBytes];
  std::uint64_t offset;
  std::uint64_t size;
  std::uint64_t checksum;
};
struct Tail {
  std::uint64_t table_offset;
  std::uint64_t table_checksum;
  std::uint64_t file_size;
  std::uint32_t sections;
  std::uint32_t version;
  char rest[24];
  char magic[8];
};
static_assert(sizeof(Head) == 64 && sizeof(TableEntry) == 32 && sizeof(Tail) == 64);

std::string_view tag_text(const TableEntry& entry) {
  return {entry.tag, ::strnlen(entry.tag, kTagBytes)};
}

io::MappedFile map_artefact(const std::filesystem::path& path, const FileKind& kind) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    fail(ErrorCode::not_found, "there is no {} at {}; make it with `{}`", kind.what, path.string(), kind.rebuild);
  }
  return io::MappedFile(path);
}

}  // namespace

void refuse_artefact(const std::filesystem::path& path, const FileKind& kind, std::string_view why) {
  fail(ErrorCode::corrupt, "the {} {} cannot be used: {}; make it anew with `{}`", kind.what, path.string(), why,
       kind.rebuild);
}

struct SectionWriter::Impl {
  Impl(const std::filesystem::path& path, const FileKind& file_kind) : kind(file_kind), file(path) {
    XXH3_64bits_reset(hash);
  }
  ~Impl() { XXH3_freeState(hash); }

  void pad() {
    static constexpr std::array<char, kAlignment> kZeros{};
    const std::size_t over = file.size() % kAlignment;
    if (over != 0) file.write(std::string_view(kZeros.data(), kAlignment - over));
  }
  void end() {
    if (!open) return;
    auto& entry = table.back();
    entry.size = file.size() - entry.offset;
    entry.checksum = XXH3_64bits_digest(hash);
    pad();
    open = false;
  }

  FileKind kind;
  io::FileWriter file;
  std::vector<TableEntry> table;
  XXH3_state_t* hash = XXH3_createState();
  Sha256 sha;
  bool open = false;
};

SectionWriter::SectionWriter(const std::filesystem::path& path, const FileKind& kind)
    : impl_(std::make_unique<Impl>(path, kind)) {
  Head head{};
  std::memcpy(head.magic, kind.magic.data(), sizeof(head.magic));
  head.version = kind.version;
  impl_->file.write(std::string_view(reinterpret_cast<const char*>(&head), sizeof(head)));
}

SectionWriter::~SectionWriter() = default;

void SectionWriter::begin(std::string_view tag) {
  impl_->end();
  TableEntry entry{};
  std::memcpy(entry.tag, tag.data(), std::min(tag.size(), kTagBytes));
  entry.offset = impl_->file.size();
  impl_->table.push_back(entry);
  impl_->sha.update({entry.tag, kTagBytes});
  XXH3_64bits_reset(impl_->hash);
  impl_->open = true;
}

void SectionWriter::write(std::string_view bytes) {
  if (bytes.empty()) return;
  impl_->file.write(bytes);
  impl_->sha.update(bytes);
  XXH3_64bits_update(impl_->hash, bytes.data(), bytes.size());
}

std::string SectionWriter::digest() {
  impl_->end();
  return std::exchange(impl_->sha, Sha256()).hex();
}

std::uint64_t SectionWriter::close() {
  impl_->end();
  Tail tail{};
  const std::string_view table(reinterpret_cast<const char*>(impl_->table.data()),
                               impl_->table.size() * sizeof(TableEntry));
  tail.table_offset = impl_->file.size();
  tail.table_checksum = XXH3_64bits(table.data(), table.size());
  tail.sections = static_cast<std::uint32_t>(impl_->table.size());
  tail.version = impl_->kind.version;
  std::memcpy(tail.magic, impl_->kind.magic.data(), sizeof(tail.magic));
  impl_->file.write(table);
  impl_->pad();
  tail.file_size = impl_->file.size() + sizeof(tail);
  impl_->file.write(std::string_view(reinterpret_cast<const char*>(&tail), sizeof(tail)));
  impl_->file.close();
  return tail.file_size;
}

SectionFile::SectionFile(const std::filesystem::path& path, const FileKind& kind)
    : path_(path.string()), kind_(kind), file_(map_artefact(path, kind)) {
  const auto bytes = file_.bytes();
  expect(bytes.size() >= sizeof(Head) + sizeof(Tail), "it is too short");
  Head head;
  Tail tail;
  std::memcpy(&head, bytes.data(), sizeof(head));
  std::memcpy(&tail, bytes.data() + bytes.size() - sizeof(tail), sizeof(tail));
  expect(std::memcmp(head.magic, kind.magic.data(), sizeof(head.magic)) == 0, "it is a file of another kind");
  expect(head.version == kind.version, "it was written by another version of mustcite");
  expect(std::memcmp(tail.magic, kind.magic.data(), sizeof(tail.magic)) == 0 && tail.file_size == bytes.size() &&
             tail.version == kind.version,
         "its end is missing or damaged");
  const std::uint64_t last = bytes.size() - sizeof(tail);
  expect(tail.sections <= kMaxSections && tail.table_offset % kAlignment == 0 && tail.table_offset <= last &&
             tail.sections * sizeof(TableEntry) <= last - tail.table_offset,
         "its table of sections is damaged");
  const auto table = bytes.subspan(tail.table_offset, tail.sections * sizeof(TableEntry));
  expect(checksum64(table) == tail.table_checksum, "its table of sections is damaged");
  for (std::uint32_t i = 0; i < tail.sections; ++i) {
    const auto& entry = *reinterpret_cast<const TableEntry*>(table.data() + i * sizeof(TableEntry));
    expect(entry.offset % kAlignment == 0 && entry.offset <= tail.table_offset &&
               entry.size <= tail.table_offset - entry.offset,
           "a section lies outside the file");
    const auto section = bytes.subspan(entry.offset, entry.size);
    expect(checksum64(section) == entry.checksum, "a checksum does not hold, the file is damaged");
    entries_.push_back({tag_text(entry), section});
  }
}

std::span<const std::byte> SectionFile::find(std::string_view tag) const {
  for (const auto& entry : entries_) {
    if (entry.tag == tag) return entry.bytes;
  }
  refuse("a section is missing");
}

void SectionFile::refuse(std::string_view why) const { refuse_artefact(path_, kind_, why); }

}  // namespace mustcite::snapshot
