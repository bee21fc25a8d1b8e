// Damaged and forged indexes of token vectors: opening refuses them or every call stays inside the file.
//
// The input is a list of changes (six bytes each: section, place, value) to a sound index, whose checksums
// are made to hold again afterwards; an input that starts with the magic of an index is taken as the file
// itself.

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/io/file.hpp"
#include "engine/late/index_file.hpp"
#include "engine/late/index_writer.hpp"
#include "fuzz/section_changes.hpp"

namespace {

using namespace mustcite;

constexpr std::size_t kDims = 6;

/// Vectors without any pattern, of about unit length.
std::vector<float> vectors_of(std::size_t tokens, std::uint32_t seed) {
  std::vector<float> values;
  for (std::size_t i = 0; i < tokens * kDims; ++i) {
    seed = seed * 1664525U + 1013904223U;
    values.push_back(static_cast<float>(static_cast<std::int32_t>(seed)) * 0x1p-31F);
  }
  return values;
}

std::string sound_index() {
  const auto folder =
      std::filesystem::temp_directory_path() / ("mustcite-fuzz-late-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  std::vector<std::uint16_t> centroids;
  for (std::uint16_t i = 0; i < 8 * kDims; ++i)
    centroids.push_back(static_cast<std::uint16_t>(0x3000 + 37 * i));
  const late::Codec codec(kDims, 2, centroids, {-0.4F, -0.1F, 0.1F, 0.4F}, {-0.2F, 0.0F, 0.2F});
  const late::NearestCentroid nearest(codec);
  late::CompressedPart part;
  for (std::uint32_t row = 0; row < 60; ++row) part.add(vectors_of(row % 9, row), row, codec, nearest);
  late::IndexInfo info;
  info.recipe.text.name = info.recipe.text.model = "fuzz";
  late::write_index(folder, info, codec, part);
  std::string bytes = io::read_file(folder / "late.bin");
  std::filesystem::remove_all(folder);
  return bytes;
}

void use(const late::LateIndex& index) {
  const std::vector<float> query = vectors_of(70, 5);
  if (index.info().dims != kDims) return;
  const std::vector<DocId> exclude{DocId{3}, DocId{100000}};
  for (const std::uint32_t prefix : {index.info().rows, index.info().rows / 2, 1U}) {
    late::LateSearch search;
    search.depth = 10;
    search.prefix = prefix;
    search.exclude = exclude;
    search.rescored = prefix % 2 == 0 ? 12 : 0;
    (void)index.search(query, search);
    (void)index.search_exhaustive(query, search);
  }
  for (std::uint32_t row = 0; row < std::min(index.info().rows, 80U); ++row) {
    (void)index.vectors(row);
    (void)index.text_digest(row);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string sound = sound_index();
  static const int descriptor = ::memfd_create("late", 0);
  static const std::filesystem::path folder = [] {
    const auto path =
        std::filesystem::temp_directory_path() / ("mustcite-fuzz-late-link-" + std::to_string(::getpid()));
    std::filesystem::remove_all(path);
    std::filesystem::create_directories(path);
    std::filesystem::create_symlink("/proc/self/fd/" + std::to_string(descriptor), path / "late.bin");
    return path;
  }();
  const bool whole = size >= 8 && std::memcmp(data, sound.data(), 8) == 0;
  std::string bytes =
      whole ? std::string(reinterpret_cast<const char*>(data), size) : fuzz::changed(sound, data, size);
  fuzz::mend(bytes);
  if (::ftruncate(descriptor, 0) != 0 ||
      ::pwrite(descriptor, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    return 0;
  }
  try {
    use(late::LateIndex::open(folder));
  } catch (const Error& error) {
    if (error.code() != ErrorCode::corrupt) throw;
  }
  return 0;
}
