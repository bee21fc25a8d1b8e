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
#include "core/io/file.hpp"
#include "engine/index/sparse_index.hpp"
#include "fuzz/section_changes.hpp"

namespace {

using namespace mustcite;
using fuzz::changed;
using fuzz::mend;

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
