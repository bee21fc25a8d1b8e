#include "engine/late/index_writer.hpp"

#include <algorithm>
#include <numeric>

#include "engine/late/index_layout.hpp"

namespace mustcite::late {
namespace {

constexpr snapshot::FileKind kPartKind{"MCLPART\n", 1, "part of an index of token vectors",
                                       "mustcite index build --dense RECIPE"};

/// Writes a section file beside its place and renames it.
template <typename Write>
void write_by_rename(const std::filesystem::path& file, const std::string& identity, const Write& write) {
  const std::filesystem::path staged = file.string() + ".new";
  {
    snapshot::SectionWriter out(staged, kPartKind);
    write(out);
    out.begin("build");
    out.write(identity);
    out.close();
  }
  std::filesystem::rename(staged, file);
}

}  // namespace

void CompressedPart::add(std::span<const float> vectors, std::uint64_t text_digest, const Codec& codec,
                         const NearestCentroid& nearest) {
  const std::size_t count = vectors.size() / codec.dims();
  std::vector<std::uint16_t> found(count);
  nearest.find(vectors, found);
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return found[a] < found[b]; });
  const std::size_t bytes = codec.residual_bytes();
  std::size_t at = residuals.size();
  residuals.resize(at + count * bytes);
  for (const std::uint32_t t : order) {
    codes.push_back(found[t]);
    codec.compress(vectors.subspan(t * codec.dims(), codec.dims()), found[t],
                   std::span(residuals).subspan(at, bytes));
    at += bytes;
  }
  counts.push_back(static_cast<std::uint32_t>(count));
  texts.push_back(text_digest);
}

void CompressedPart::append(const CompressedPart& other) {
  append_outline(other);
  residuals.insert(residuals.end(), other.residuals.begin(), other.residuals.end());
}

void CompressedPart::append_outline(const CompressedPart& other) {
  counts.insert(counts.end(), other.counts.begin(), other.counts.end());
  codes.insert(codes.end(), other.codes.begin(), other.codes.end());
  texts.insert(texts.end(), other.texts.begin(), other.texts.end());
}

void write_part(const std::filesystem::path& file, const CompressedPart& part, const std::string& identity) {
  write_by_rename(file, identity, [&](snapshot::SectionWriter& out) {
    out.section("counts", part.counts);
    out.section("codes", part.codes);
    out.section("residual", part.residuals);
    out.section("texts", part.texts);
  });
}

CompressedPart read_part(const std::filesystem::path& path, const std::string& identity, const Codec& codec) {
  const snapshot::SectionFile file(path, kPartKind);
  file.expect(file.text("build") == identity, "it belongs to another build");
  const auto counts = file.section<std::uint32_t>("counts");
  const auto codes = file.section<std::uint16_t>("codes");
  const auto residuals = file.section<std::uint8_t>("residual");
  const auto texts = file.section<std::uint64_t>("texts");
  const auto tokens = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  file.expect(
      texts.size() == counts.size() && codes.size() == tokens &&
          residuals.size() == tokens * codec.residual_bytes() &&
          std::all_of(codes.begin(), codes.end(), [&](auto code) { return code < codec.centroids(); }),
      "its sections do not fit");
  return {{counts.begin(), counts.end()},
          {codes.begin(), codes.end()},
          {residuals.begin(), residuals.end()},
          {texts.begin(), texts.end()}};
}

void write_codec_file(const std::filesystem::path& file, const Codec& codec, const std::string& identity) {
  IndexInfo info;
  info.recipe.text.name = info.recipe.text.model = "codec";
  info.dims = static_cast<std::uint32_t>(codec.dims());
  info.bits = static_cast<std::uint32_t>(codec.bits());
  info.centroids = static_cast<std::uint32_t>(codec.centroids());
  write_by_rename(file, identity, [&](snapshot::SectionWriter& out) {
    write_codec(out, codec);
    out.begin("info");
    out.write(info_text(info));
  });
}

Codec read_codec_file(const std::filesystem::path& path, const std::string& identity) {
  const snapshot::SectionFile file(path, kPartKind);
  file.expect(file.text("build") == identity, "it belongs to another build");
  return read_codec(file, parse_info(file.text("info"), file));
}

std::uint64_t write_index(const std::filesystem::path& folder, IndexInfo info, const Codec& codec,
                          const CompressedPart& documents, const Residuals& residuals) {
  const std::size_t rows = documents.counts.size();
  std::vector<std::uint64_t> first(rows + 1, 0);
  for (std::size_t row = 0; row < rows; ++row) first[row + 1] = first[row] + documents.counts[row];
  // Codes ascend within a document, so what repeats is adjacent.
  const auto each_new = [&](const auto& visit) {
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::uint64_t t = first[row]; t < first[row + 1]; ++t) {
        if (t == first[row] || documents.codes[t] != documents.codes[t - 1]) visit(documents.codes[t], row);
      }
    }
  };
  std::vector<std::uint64_t> starts(codec.centroids() + 1, 0);
  each_new([&](std::uint16_t code, std::size_t) { ++starts[code + 1U]; });
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  std::vector<std::uint32_t> lists(starts.back());
  std::vector<std::uint64_t> places(starts.begin(), starts.end() - 1);
  each_new(
      [&](std::uint16_t code, std::size_t row) { lists[places[code]++] = static_cast<std::uint32_t>(row); });

  info.rows = static_cast<std::uint32_t>(rows);
  info.tokens = first.back();
  info.dims = static_cast<std::uint32_t>(codec.dims());
  info.bits = static_cast<std::uint32_t>(codec.bits());
  info.centroids = static_cast<std::uint32_t>(codec.centroids());
  snapshot::SectionWriter out(folder / kIndexFile, kIndexKind);
  out.begin("residual");
  residuals([&](std::span<const std::uint8_t> bytes) { out.write(bytes); });
  out.section("codes", documents.codes);
  out.section("first", first);
  out.section("lists", lists);
  out.section("starts", starts);
  out.section("texts", documents.texts);
  write_codec(out, codec);
  out.begin("info");
  out.write(info_text(info));
  return out.close();
}

std::uint64_t write_index(const std::filesystem::path& folder, const IndexInfo& info, const Codec& codec,
                          const CompressedPart& documents) {
  return write_index(folder, info, codec, documents, [&](const auto& write) { write(documents.residuals); });
}

}  // namespace mustcite::late
