#include "engine/late/index_file.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "engine/late/index_layout.hpp"

namespace mustcite::late {
namespace {

using Json = nlohmann::ordered_json;

bool ascending(std::span<const std::uint64_t> values) {
  return std::is_sorted(values.begin(), values.end());
}

bool finite(std::span<const float> values) {
  return std::all_of(values.begin(), values.end(), [](float value) { return std::isfinite(value); });
}

}  // namespace

std::string info_text(const IndexInfo& info) {
  Json json;
  json["recipe"] = recipe_text(info.recipe);
  json["model_folder"] = info.model_folder;
  json["model"] = info.model_digest;
  json["snapshot"] = info.snapshot_digest;
  json["rows"] = info.rows;
  json["tokens"] = info.tokens;
  json["dims"] = info.dims;
  json["bits"] = info.bits;
  json["centroids"] = info.centroids;
  return json.dump();
}

IndexInfo parse_info(std::string_view text, const snapshot::SectionFile& file) {
  const Json json = Json::parse(text, nullptr, false);
  file.expect(json.is_object(), "its description is damaged");
  IndexInfo info;
  try {
    info.recipe = parse_recipe(json.at("recipe").get<std::string>(), "of these token vectors");
    info.model_folder = json.at("model_folder").get<std::string>();
    info.model_digest = json.at("model").get<std::string>();
    info.snapshot_digest = json.at("snapshot").get<std::string>();
    info.rows = json.at("rows").get<std::uint32_t>();
    info.tokens = json.at("tokens").get<std::uint64_t>();
    info.dims = json.at("dims").get<std::uint32_t>();
    info.bits = json.at("bits").get<std::uint32_t>();
    info.centroids = json.at("centroids").get<std::uint32_t>();
  } catch (const Json::exception&) {
    file.refuse("its description is damaged");
  } catch (const Error& error) {
    file.refuse(error.what());
  }
  file.expect(info.dims > 0 && info.dims <= kMostDims, "its vectors have a length that cannot be");
  file.expect(info.bits == 1 || info.bits == 2 || info.bits == 4, "its residuals have bits that cannot be");
  file.expect(info.centroids > 0 && info.centroids <= Codec::kMostCentroids,
              "its centroids are too many or none");
  return info;
}

void write_codec(snapshot::SectionWriter& out, const Codec& codec) {
  out.section("centres", codec.halves());
  out.section("weights", codec.weights());
  out.section("limits", codec.limits());
}

Codec read_codec(const snapshot::SectionFile& file, const IndexInfo& info) {
  const auto centres = file.section<std::uint16_t>("centres");
  const auto weights = file.section<float>("weights");
  const auto limits = file.section<float>("limits");
  const std::size_t buckets = std::size_t{1} << info.bits;
  file.expect(centres.size() == std::size_t{info.centroids} * info.dims && weights.size() == buckets &&
                  limits.size() == buckets - 1,
              "its codec is damaged");
  Codec codec(info.dims, info.bits, {centres.begin(), centres.end()}, {weights.begin(), weights.end()},
              {limits.begin(), limits.end()});
  file.expect(finite(weights) && finite(limits), "its codec has numbers that are none");
  for (std::size_t c = 0; c < codec.centroids(); ++c)
    file.expect(finite(codec.centroid(c)), "its codec has numbers that are none");
  return codec;
}

IndexData::IndexData(const std::filesystem::path& path)
    : file(path, kIndexKind),
      info(parse_info(file.text("info"), file)),
      codec(read_codec(file, info)),
      residual_bytes(codec.residual_bytes()) {
  first = file.section<std::uint64_t>("first");
  codes = file.section<std::uint16_t>("codes");
  residuals = file.section<std::uint8_t>("residual");
  starts = file.section<std::uint64_t>("starts");
  lists = file.section<std::uint32_t>("lists");
  texts = file.section<std::uint64_t>("texts");
  const std::size_t rows = info.rows;
  file.expect(
      first.size() == rows + 1 && texts.size() == rows && starts.size() == std::size_t{info.centroids} + 1,
      "its sections are of different sizes");
  file.expect(first.front() == 0 && first.back() == info.tokens && ascending(first),
              "its documents are out of order");
  file.expect(codes.size() == info.tokens && residuals.size() / residual_bytes == info.tokens &&
                  residuals.size() % residual_bytes == 0,
              "its sections are of different sizes");
  file.expect(
      std::all_of(codes.begin(), codes.end(), [&](std::uint16_t code) { return code < info.centroids; }),
      "a token has a centroid that is none");
  file.expect(starts.front() == 0 && starts.back() == lists.size() && ascending(starts),
              "its lists are out of order");
  for (std::size_t c = 0; c < info.centroids; ++c) {
    const auto list = lists.subspan(starts[c], starts[c + 1] - starts[c]);
    file.expect(std::adjacent_find(list.begin(), list.end(), std::greater_equal<>()) == list.end() &&
                    (list.empty() || list.back() < rows),
                "a list is out of order");
  }
  centre_bytes.resize(codec.centroids() * padded(info.dims));
  for (std::size_t c = 0; c < codec.centroids(); ++c)
    centres.push_back(to_bytes(codec.centroid(c), centre_bytes.data() + c * padded(info.dims)));
}

void IndexData::decompress(std::size_t row, std::vector<float>& out) const {
  const std::size_t dims = info.dims;
  const auto numbers = codes_of(row);
  const auto bytes = residuals_of(row);
  if (out.size() < numbers.size() * dims) out.resize(numbers.size() * dims);
  for (std::size_t t = 0; t < numbers.size(); ++t)
    codec.decompress(numbers[t], bytes.subspan(t * residual_bytes, residual_bytes),
                     std::span(out).subspan(t * dims, dims));
}

LateIndex::LateIndex(std::unique_ptr<const IndexData> data) : data_(std::move(data)) {}
LateIndex::LateIndex(LateIndex&&) noexcept = default;
LateIndex& LateIndex::operator=(LateIndex&&) noexcept = default;
LateIndex::~LateIndex() = default;

LateIndex LateIndex::open(const std::filesystem::path& folder) {
  return LateIndex(std::make_unique<const IndexData>(folder / kIndexFile));
}

const IndexInfo& LateIndex::info() const noexcept {
  return data_->info;
}
const Codec& LateIndex::codec() const noexcept {
  return data_->codec;
}
std::size_t LateIndex::tokens(std::uint32_t row) const {
  return data_->count(row);
}
std::uint64_t LateIndex::text_digest(std::uint32_t row) const {
  return data_->texts[row];
}
std::span<const std::uint16_t> LateIndex::codes(std::uint32_t row) const {
  return data_->codes_of(row);
}
std::span<const std::uint8_t> LateIndex::residuals(std::uint32_t row) const {
  return data_->residuals_of(row);
}

std::vector<float> LateIndex::vectors(std::uint32_t row) const {
  std::vector<float> out;
  data_->decompress(row, out);
  out.resize(data_->count(row) * data_->info.dims);
  return out;
}

double max_sim(std::span<const float> query, std::span<const float> document, std::size_t dims) {
  double sum = 0;
  if (document.empty()) return sum;
  for (std::size_t q = 0; q < query.size(); q += dims) {
    double best = -std::numeric_limits<double>::infinity();
    for (std::size_t d = 0; d < document.size(); d += dims) {
      double product = 0;
      for (std::size_t k = 0; k < dims; ++k) product += double{query[q + k]} * document[d + k];
      best = std::max(best, product);
    }
    sum += best;
  }
  return sum;
}

}  // namespace mustcite::late
