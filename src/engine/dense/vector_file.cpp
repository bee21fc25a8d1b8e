#include "engine/dense/vector_file.hpp"

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "engine/dense/fixed_dot.hpp"
#include "engine/dense/half.hpp"
#include "engine/dense/quantised.hpp"
#include "engine/index/top.hpp"
#include "engine/snapshot/section_file.hpp"

namespace mustcite::dense {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr snapshot::FileKind kKind{"MCVECT\r\n", 1, "file of dense vectors",
                                   "mustcite index build --dense MODEL"};
constexpr const char* kFile = "vectors.bin";
constexpr std::size_t kMostDims = 65536;
constexpr std::array<std::pair<std::string_view, Storage>, 2> kStorages{
    {{"float16", Storage::float16}, {"int8", Storage::int8}}};

std::string info_text(const VectorInfo& info) {
  Json json;
  json["recipe"] = recipe_text(info.recipe);
  json["model_folder"] = info.model_folder;
  json["adapter_folder"] = info.adapter_folder;
  json["model"] = info.model_digest;
  json["snapshot"] = info.snapshot_digest;
  json["rows"] = info.rows;
  json["dims"] = info.dims;
  json["storage"] = std::string(name_of(info.storage));
  return json.dump();
}

VectorInfo parse_info(std::string_view text, const snapshot::SectionFile& file) {
  const Json json = Json::parse(text, nullptr, false);
  file.expect(json.is_object(), "its description is damaged");
  try {
    VectorInfo info;
    info.recipe = parse_recipe(json.at("recipe").get<std::string>(), "of these vectors");
    info.model_folder = json.at("model_folder").get<std::string>();
    info.adapter_folder = json.at("adapter_folder").get<std::string>();
    info.model_digest = json.at("model").get<std::string>();
    info.snapshot_digest = json.at("snapshot").get<std::string>();
    info.rows = json.at("rows").get<std::uint32_t>();
    info.dims = json.at("dims").get<std::uint32_t>();
    info.storage = parse_storage(json.at("storage").get<std::string>());
    return info;
  } catch (const Json::exception&) {
    file.refuse("its description is damaged");
  }
}

std::size_t padded(std::size_t dims) {
  return (dims + 63) / 64 * 64;
}

}  // namespace

std::string_view name_of(Storage storage) noexcept {
  return storage == Storage::int8 ? kStorages[1].first : kStorages[0].first;
}

Storage parse_storage(std::string_view name) {
  for (const auto& [known, storage] : kStorages) {
    if (known == name) return storage;
  }
  fail(ErrorCode::usage, "vectors are not kept as '{}': use float16 or int8", name);
}

struct VectorFile::Impl {
  explicit Impl(const fs::path& path) : file(path, kKind), info(parse_info(file.text("info"), file)) {
    const std::size_t rows = info.rows;
    file.expect(info.dims > 0 && info.dims <= kMostDims, "its vectors have a length that cannot be");
    bytes.dims = padded(info.dims);
    bytes.values = file.section<std::int8_t>("bytes");
    bytes.scales = file.section<float>("scales");
    bytes.sums = file.section<std::int32_t>("sums");
    norms = file.section<float>("norms");
    texts = file.section<std::uint64_t>("texts");
    file.expect(bytes.values.size() == rows * bytes.dims && bytes.scales.size() == rows &&
                    bytes.sums.size() == rows && norms.size() == rows && texts.size() == rows,
                "its sections are of different sizes");
    if (info.storage == Storage::float16) {
      halves = file.section<std::uint16_t>("halves");
      lost = file.section<float>("lost");
      file.expect(halves.size() == rows * info.dims && lost.size() == rows,
                  "its sections are of different sizes");
    }
  }

  void read(std::size_t row, std::span<float> out) const {
    if (info.storage == Storage::float16) {
      widen(halves.subspan(row * info.dims, info.dims), out);
      return;
    }
    const std::int8_t* const from = bytes.values.data() + row * bytes.dims;
    for (std::size_t i = 0; i < info.dims; ++i) out[i] = bytes.scales[row] * static_cast<float>(from[i]);
  }

  /// The score of a product; `own` is the squared length of the query.
  [[nodiscard]] float score_of(float product, std::size_t row, float own) const {
    if (info.recipe.metric != Metric::l2) return product;
    return 2.0F * product - norms[row] * norms[row] - own;
  }

  [[nodiscard]] std::uint32_t end(const DenseSearch& search) const {
    return std::min(search.prefix.value_or(info.rows), info.rows);
  }

  snapshot::SectionFile file;
  VectorInfo info;
  QuantisedRows bytes;                    ///< the vectors, or a copy of them
  std::span<const std::uint16_t> halves;  ///< the vectors in half precision
  std::span<const float> lost;            ///< length of what the copy in eight bits leaves out
  std::span<const float> norms;           ///< lengths of the vectors
  std::span<const std::uint64_t> texts;
};

VectorFile::VectorFile(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
VectorFile::VectorFile(VectorFile&&) noexcept = default;
VectorFile& VectorFile::operator=(VectorFile&&) noexcept = default;
VectorFile::~VectorFile() = default;

VectorFile VectorFile::open(const fs::path& folder) {
  return VectorFile(std::make_unique<Impl>(folder / kFile));
}

const VectorInfo& VectorFile::info() const noexcept {
  return impl_->info;
}
void VectorFile::read(std::uint32_t row, std::span<float> out) const {
  impl_->read(row, out);
}
std::uint64_t VectorFile::text_digest(std::uint32_t row) const {
  return impl_->texts[row];
}

void VectorFile::score(std::span<const float> query, std::span<const DocId> docs,
                       std::span<float> out) const {
  std::vector<float> vector(impl_->info.dims);
  const float own = fixed_dot(query, query);
  for (std::size_t i = 0; i < docs.size(); ++i) {
    impl_->read(docs[i].value, vector);
    out[i] = impl_->score_of(fixed_dot(query, vector), docs[i].value, own);
  }
}

std::vector<Scored> VectorFile::search_plain(std::span<const float> query, const DenseSearch& search) const {
  index::TopK best(search.depth);
  for (std::uint32_t row = 0; row < impl_->end(search); ++row) {
    if (index::contains(search.exclude, DocId{row})) continue;
    float score = 0;
    const DocId doc{row};
    this->score(query, {&doc, 1}, {&score, 1});
    best.offer(row, score);
  }
  return best.take();
}

std::vector<Scored> VectorFile::search(std::span<const float> query, const DenseSearch& search) const {
  constexpr std::size_t kBlock = 256;  // rows whose products stay in the first cache
  const Impl& file = *impl_;
  const std::uint32_t end = file.end(search);
  const QuantisedVector small = quantised(query);
  std::vector<float> left(query.begin(), query.end());
  std::vector<float> kept(query.size());
  for (std::size_t i = 0; i < query.size(); ++i) {
    kept[i] = small.scale * static_cast<float>(small.values[i]);
    left[i] -= kept[i];
  }
  // With q' and d' the vectors in eight bits: |q.d - q'.d'| <= |q'| |d - d'| + |q - q'| |d| by Cauchy and
  // Schwarz. The hundredth more pays for the rounding of the numbers themselves.
  const float factor = file.info.recipe.metric == Metric::l2 ? 2.0F : 1.0F;
  const float of_lost = 1.01F * factor * std::sqrt(fixed_dot(kept, kept));
  const float of_norm =
      1.01F * factor * (std::sqrt(fixed_dot(left, left)) + 1e-6F * std::sqrt(fixed_dot(query, query)));
  const float own = fixed_dot(query, query);

  std::vector<float> upper(end);
  index::TopK lower(search.depth);
  std::array<std::int32_t, kBlock> products;
  auto hidden = search.exclude.begin();
  for (std::uint32_t first = 0; first < end; first += kBlock) {
    const std::size_t count = std::min<std::size_t>(kBlock, end - first);
    integer_dots(file.bytes.values.subspan(first * file.bytes.dims, count * file.bytes.dims),
                 file.bytes.sums.subspan(first, count), small.values, std::span(products).first(count));
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t row = first + i;
      const float lost = file.lost.empty() ? 0.0F : file.lost[row];
      const float near =
          file.score_of(static_cast<float>(products[i]) * file.bytes.scales[row] * small.scale, row, own);
      const float margin = of_lost * lost + of_norm * file.norms[row] + 1e-6F * std::abs(near);
      upper[row] = near + margin;
      if (!(near - margin > lower.floor())) continue;
      while (hidden != search.exclude.end() && hidden->value < row) ++hidden;
      if (hidden == search.exclude.end() || hidden->value != row)
        lower.offer(static_cast<std::uint32_t>(row), near - margin);
    }
  }
  const auto sure = lower.take();
  const float floor = sure.size() < search.depth || sure.empty() ? -std::numeric_limits<float>::infinity()
                                                                 : sure.back().score;
  index::TopK best(search.depth);
  std::vector<float> vector(file.info.dims);
  for (std::uint32_t row = 0; row < end; ++row) {
    if (!(upper[row] >= floor) || index::contains(search.exclude, DocId{row})) continue;
    file.read(row, vector);
    best.offer(row, file.score_of(fixed_dot(query, vector), row, own));
  }
  return best.take();
}

struct VectorWriter::Impl {
  Impl(const fs::path& folder, VectorInfo given)
      : info(std::move(given)), out(folder / kFile, kKind), bytes(info.dims) {
    // The vectors go to the file at once; what is small waits until they are through.
    if (info.storage == Storage::float16) out.begin("halves");
  }

  VectorInfo info;
  snapshot::SectionWriter out;
  QuantisedTable bytes;
  std::vector<float> lost;
  std::vector<float> norms;
  std::vector<std::uint64_t> texts;
  std::vector<float> wide;
};

VectorWriter::VectorWriter(const fs::path& folder, VectorInfo info)
    : impl_(std::make_unique<Impl>(folder, std::move(info))) {}
VectorWriter::~VectorWriter() = default;

void VectorWriter::add(std::span<const std::uint16_t> vector, std::uint64_t text_digest) {
  Impl& impl = *impl_;
  impl.wide.resize(vector.size());
  widen(vector, impl.wide);
  impl.bytes.add(impl.wide);
  const QuantisedRows rows = impl.bytes.rows();
  const std::size_t row = rows.rows() - 1;
  std::vector<float> small(rows.dims, 0.0F);
  rows.add_to(row, 1.0F, small);
  small.resize(vector.size());
  if (impl.info.storage == Storage::float16) {
    impl.out.write(vector);
    for (std::size_t i = 0; i < small.size(); ++i) small[i] = impl.wide[i] - small[i];
    impl.lost.push_back(std::sqrt(fixed_dot(small, small)));
    impl.norms.push_back(std::sqrt(fixed_dot(impl.wide, impl.wide)));
  } else {
    impl.norms.push_back(std::sqrt(fixed_dot(small, small)));
  }
  impl.texts.push_back(text_digest);
}

void VectorWriter::close() {
  Impl& impl = *impl_;
  const QuantisedRows rows = impl.bytes.rows();
  impl.info.rows = static_cast<std::uint32_t>(rows.rows());
  impl.out.begin("bytes");
  impl.out.write(rows.values);
  impl.out.begin("scales");
  impl.out.write(rows.scales);
  impl.out.begin("sums");
  impl.out.write(rows.sums);
  if (impl.info.storage == Storage::float16) impl.out.section("lost", impl.lost);
  impl.out.section("norms", impl.norms);
  impl.out.section("texts", impl.texts);
  impl.out.begin("info");
  impl.out.write(info_text(impl.info));
  impl.out.close();
}

}  // namespace mustcite::dense
