// Damaged and forged index files: opening refuses them or every call stays inside the file.
//
// The input is a list of changes (six bytes each: section, place, value) to a sound index, whose checksums are made to
// hold again afterwards; an input that starts with the magic of an index is taken as the file itself.

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/hash.hpp"
#include "core/io/file.hpp"
#include "engine/index/sparse_index.hpp"

namespace {

using namespace mustcite;

constexpr std::size_t kTailBytes = 64;
constexpr std::size_t kEntryBytes = 32;

/// Dense, listed and rare terms; rows of all lengths.
std::string sound_index() {
  const auto prefix = std::filesystem::temp_directory_path() / ("mustcite-fuzz-" + std::to_string(::getpid()));
  index::BuildOptions options;
  options.analyzer = "plain";
  options.fields = {"text"};
  options.weights = {1};
  options.threads = 1;
  index::SparseIndexBuilder builder(options);
  for (int row = 0; row < 700; ++row) {
    std::string text = row % 11 == 0 ? "" : "everywhere ";
    if (row % 2 == 0) text += "half half ";
    for (int i = 0; i < row % 7; ++i) text += "w" + std::to_string(row % (i + 13)) + " ";
    builder.add({{text}});
  }
  builder.write(prefix, "fuzz");
  std::string bytes = io::read_file(prefix.string() + ".bin");
  std::filesystem::remove(prefix.string() + ".bin");
  return bytes;
}

std::uint64_t number_at(const std::string& bytes, std::size_t at) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof(value));
  return value;
}

void put_number(std::string& bytes, std::size_t at, std::uint64_t value) {
  std::memcpy(bytes.data() + at, &value, sizeof(value));
}

/// Makes table and section checksums hold, as far as the table can be read.
void mend(std::string& bytes) {
  if (bytes.size() < 2 * kTailBytes) return;
  const std::size_t tail = bytes.size() - kTailBytes;
  const std::uint64_t table = number_at(bytes, tail);
  const std::uint64_t sections = number_at(bytes, tail + 24) & 0xffffffff;
  if (sections > 256 || table > tail || sections * kEntryBytes > tail - table) return;
  for (std::uint64_t i = 0; i < sections; ++i) {
    const std::size_t entry = table + i * kEntryBytes;
    const std::uint64_t offset = number_at(bytes, entry + 8);
    const std::uint64_t size = number_at(bytes, entry + 16);
    if (offset > table || size > table - offset) continue;
    put_number(bytes, entry + 24, checksum64(std::as_bytes(std::span(bytes)).subspan(offset, size)));
  }
  put_number(bytes, tail + 8, checksum64(std::as_bytes(std::span(bytes)).subspan(table, sections * kEntryBytes)));
}

std::string changed(const std::string& sound, const std::uint8_t* data, std::size_t size) {
  std::string bytes = sound;
  const std::size_t tail = bytes.size() - kTailBytes;
  const std::uint64_t table = number_at(bytes, tail);
  const std::uint64_t sections = number_at(bytes, tail + 24) & 0xffffffff;
  for (std::size_t i = 0; i + 6 <= size; i += 6) {
    std::uint32_t place = 0;
    std::memcpy(&place, data + i + 1, sizeof(place));
    const std::uint64_t section = data[i] % (sections + 1);
    // The last "section" is the table itself: sizes and offsets.
    const std::uint64_t begin = section == sections ? table : number_at(sound, table + section * kEntryBytes + 8);
    const std::uint64_t length =
        section == sections ? sections * kEntryBytes : number_at(sound, table + section * kEntryBytes + 16);
    if (length > 0) bytes[begin + place % length] = static_cast<char>(data[i + 5]);
  }
  return bytes;
}

void use(const index::SparseIndex& index) {
  std::vector<index::QueryTerm> query = index.parse("everywhere half w1 w2 w3 w4 w5 w6 w7 w8 w9 nothing");
  for (std::uint32_t term = 0; term < std::min(index.vocabulary(), 64U); ++term) query.push_back({term, 1});
  const std::vector<DocId> exclude{DocId{3}, DocId{100000}};
  for (const std::uint32_t prefix : {index.rows(), index.rows() / 2, 1U}) {
    index::SearchOptions options;
    options.depth = 20;
    options.prefix = prefix;
    options.exclude = exclude;
    (void)index.search(query, options);
    (void)index.search_plain(query, options);
  }
  for (std::uint32_t row = 0; row < std::min(index.rows(), 800U); ++row) {
    (void)index.document_terms(DocId{row});
    (void)index.explain(query, DocId{row}, {});
  }
  for (std::uint32_t term = 0; term < std::min(index.vocabulary(), 64U); ++term) {
    (void)index.term_id(index.term(term));
    (void)index.document_frequency(term, index.rows() / 3);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string sound = sound_index();
  static const int descriptor = ::memfd_create("index", 0);
  static const std::string prefix = "/proc/self/fd/" + std::to_string(descriptor);
  static const std::filesystem::path folder = std::filesystem::temp_directory_path() /
                                              ("mustcite-fuzz-link-" + std::to_string(::getpid()));
  static const bool linked = [] {
    std::error_code ignored;
    std::filesystem::remove(folder.string() + ".bin", ignored);
    std::filesystem::create_symlink(prefix, folder.string() + ".bin");
    return true;
  }();
  (void)linked;

  const bool whole = size >= 8 && std::memcmp(data, sound.data(), 8) == 0;
  std::string bytes = whole ? std::string(reinterpret_cast<const char*>(data), size) : changed(sound, data, size);
  mend(bytes);
  if (::ftruncate(descriptor, 0) != 0 ||
      ::pwrite(descriptor, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    return 0;
  }
  try {
    use(index::SparseIndex::open(folder, ""));
  } catch (const Error& error) {
    if (error.code() != ErrorCode::corrupt) throw;
  }
  return 0;
}
