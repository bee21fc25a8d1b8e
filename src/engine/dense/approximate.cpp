#include "engine/dense/approximate.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/base/hash.hpp"
#include "core/io/file.hpp"
#include "engine/dense/plugin_library.hpp"
#include "engine/index/top.hpp"

namespace mustcite::dense {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kIndexFile = "approximate.bin";
constexpr const char* kInfoFile = "approximate.json";
constexpr std::array<std::pair<std::string_view, Approximate>, 2> kKinds{
    {{"hnsw", Approximate::hnsw}, {"ivfpq", Approximate::ivf_pq}}};

std::string checksum_of(const fs::path& file) {
  return fmt::format("{:016x}", checksum64(io::MappedFile(file).bytes()));
}

/// What ties an index to its vectors.
std::string identity_of(const VectorInfo& info) {
  return fmt::format("{} {} {} {}", info.model_digest, info.snapshot_digest, info.rows,
                     name_of(info.storage));
}

}  // namespace

std::string_view name_of(Approximate kind) noexcept {
  return kKinds[kind == Approximate::hnsw ? 0 : 1].first;
}

Approximate parse_approximate(std::string_view name) {
  for (const auto& [known, kind] : kKinds) {
    if (known == name) return kind;
  }
  fail(ErrorCode::usage, "there is no approximate index '{}': use hnsw or ivfpq", name);
}

const ApproximatePlugin& approximate_plugin() {
  static const ApproximatePlugin& plugin = *load_plugin<ApproximatePlugin>(
      {"libmustcite_approximate.so", "MUSTCITE_APPROXIMATE_PLUGIN", "mustcite_approximate_version",
       "mustcite_approximate_plugin", kApproximateVersion, "approximate indexes", "Faiss (libfaiss-dev)"});
  return plugin;
}

void build_approximate(const fs::path& folder, Approximate kind) {
  const VectorFile vectors = VectorFile::open(folder);
  const fs::path staged = folder / ".approximate.part";
  approximate_plugin().build(vectors, kind, staged);
  Json info;
  info["kind"] = std::string(name_of(kind));
  info["vectors"] = identity_of(vectors.info());
  info["checksum"] = checksum_of(staged);
  // The description goes first and comes last: an index without one does not count.
  std::error_code none;
  fs::remove(folder / kInfoFile, none);
  fs::rename(staged, folder / kIndexFile);
  io::write_file_atomically(folder / kInfoFile, info.dump(2) + "\n");
}

std::unique_ptr<ApproximateIndex> open_approximate(const fs::path& folder, const VectorFile& vectors) {
  std::error_code none;
  if (!fs::exists(folder / kInfoFile, none)) return nullptr;
  const Json info = Json::parse(io::read_file(folder / kInfoFile, std::size_t{1} << 16), nullptr, false);
  if (!info.is_object() || info.value("vectors", "") != identity_of(vectors.info()) ||
      info.value("checksum", "") != checksum_of(folder / kIndexFile)) {
    fail(
        ErrorCode::corrupt,
        "the approximate index in {} is damaged, or that of other vectors: make it anew with `mustcite index "
        "build --dense {} --approximate {}`",
        folder.string(), vectors.info().recipe.name, info.is_object() ? info.value("kind", "hnsw") : "hnsw");
  }
  return approximate_plugin().open(folder / kIndexFile);
}

std::vector<Scored> search_approximately(const VectorFile& vectors, const ApproximateIndex& index,
                                         std::span<const float> query, const DenseSearch& search) {
  constexpr std::size_t kLeast = 100;
  const std::size_t rows = vectors.info().rows;
  const std::uint32_t end =
      std::min<std::uint32_t>(search.prefix.value_or(vectors.info().rows), vectors.info().rows);
  const std::size_t reachable = end - std::min<std::size_t>(end, search.exclude.size());
  for (std::size_t count = std::max(2 * search.depth, kLeast);; count *= 4) {
    std::vector<DocId> found;
    for (const std::uint32_t row : index.candidates(query, std::min(count, rows))) {
      if (row < end && !index::contains(search.exclude, DocId{row})) found.push_back(DocId{row});
    }
    if (found.size() < std::min(search.depth, reachable) && count < rows) continue;
    std::sort(found.begin(), found.end());
    std::vector<float> scores(found.size());
    vectors.score(query, found, scores);
    index::TopK best(search.depth);
    for (std::size_t i = 0; i < found.size(); ++i) best.offer(found[i].value, scores[i]);
    return best.take();
  }
}

}  // namespace mustcite::dense
