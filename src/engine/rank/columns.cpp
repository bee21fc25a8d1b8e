#include "engine/rank/columns.hpp"

#include <algorithm>
#include <unordered_map>

#include "core/base/hash.hpp"
#include "core/text/normalise.hpp"
#include "engine/snapshot/section_file.hpp"

namespace mustcite::rank {
namespace {

constexpr snapshot::FileKind kKind{"MCCOLS\r\n", 1, "document columns", "mustcite index build"};

struct TitleRecord {
  std::uint64_t hash = 0;
  std::uint32_t citing = 0;
  std::uint32_t zero = 0;
};
static_assert(sizeof(TitleRecord) == 16);

std::uint64_t hash_of(std::string_view text) {
  return checksum64(std::as_bytes(std::span(text)));
}

}  // namespace

void Columns::build(const snapshot::Snapshot& snapshot, const std::filesystem::path& file) {
  std::vector<std::int16_t> years;
  std::vector<std::uint16_t> venues;
  std::unordered_map<std::string_view, std::uint16_t> ids;
  for (std::uint32_t doc = 0; doc < snapshot.size(); ++doc) {
    const snapshot::DocumentView view = snapshot.document(DocId{doc});
    years.push_back(static_cast<std::int16_t>(std::clamp(view.date.year, 0, 9999)));
    // Beyond 65,535 venues the rest share the last number: such a column says nothing anyway.
    const auto next = static_cast<std::uint16_t>(std::min<std::size_t>(ids.size(), 0xffff));
    venues.push_back(ids.emplace(view.venue, next).first->second);
  }
  std::vector<TitleRecord> titles;
  for (std::uint32_t row = 0; row < snapshot.citing_size(); ++row) {
    const std::string key = text::title_key(snapshot.citing(row).title);
    if (!key.empty()) titles.push_back({hash_of(key), row, 0});
  }
  std::sort(titles.begin(), titles.end(), [](const TitleRecord& a, const TitleRecord& b) {
    return a.hash != b.hash ? a.hash < b.hash : a.citing < b.citing;
  });
  snapshot::SectionWriter out(file, kKind);
  out.begin("digest");
  out.write(std::string_view(snapshot.digest()));
  out.section("years", years);
  out.section("venues", venues);
  out.section("titles", titles);
  out.close();
}

struct Columns::Impl {
  Impl(const std::filesystem::path& path, const std::string& digest) : file(path, kKind) {
    file.expect(file.text("digest") == digest, "it belongs to another snapshot");
    years = file.section<std::int16_t>("years");
    venues = file.section<std::uint16_t>("venues");
    titles = file.section<TitleRecord>("titles");
    file.expect(years.size() == venues.size(), "its columns differ in length");
    for (const std::uint16_t venue : venues) count = std::max<std::uint32_t>(count, venue + 1U);
  }
  snapshot::SectionFile file;
  std::span<const std::int16_t> years;
  std::span<const std::uint16_t> venues;
  std::span<const TitleRecord> titles;
  std::uint32_t count = 0;
};

Columns::Columns(const std::filesystem::path& file, const std::string& digest)
    : impl_(std::make_unique<Impl>(file, digest)) {}
Columns::~Columns() = default;
Columns::Columns(Columns&&) noexcept = default;
Columns& Columns::operator=(Columns&&) noexcept = default;

int Columns::year(DocId doc) const {
  return impl_->years[doc.value];
}
std::uint32_t Columns::venue(DocId doc) const {
  return impl_->venues[doc.value];
}
std::uint32_t Columns::venues() const noexcept {
  return impl_->count;
}

std::vector<std::uint32_t> Columns::citing_with_title(std::string_view title_key) const {
  std::vector<std::uint32_t> rows;
  if (title_key.empty()) return rows;
  const std::uint64_t hash = hash_of(title_key);
  auto at =
      std::lower_bound(impl_->titles.begin(), impl_->titles.end(), hash,
                       [](const TitleRecord& record, std::uint64_t value) { return record.hash < value; });
  for (; at != impl_->titles.end() && at->hash == hash; ++at) rows.push_back(at->citing);
  return rows;
}

}  // namespace mustcite::rank
