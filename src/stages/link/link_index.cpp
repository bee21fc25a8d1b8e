#include "stages/link/link_index.hpp"

#include <xxhash.h>

#include <algorithm>
#include <cmath>

#include "core/text/identifiers.hpp"
#include "core/text/normalise.hpp"
#include "stages/link/similarity.hpp"

namespace mustcite::link {
namespace {

/// Terms in more titles than this find nothing.
constexpr std::size_t kCommonTerm = 4'000;
/// Postings looked at for one reference.
constexpr std::size_t kMostPostings = 6'000;

}  // namespace

std::uint64_t hash_of(std::string_view text) {
  return XXH3_64bits(text.data(), text.size());
}

std::uint64_t pair_hash(std::string_view first, std::string_view second) {
  return XXH3_64bits_withSeed(second.data(), second.size(), hash_of(first));
}

void add_name_words(std::string_view author, std::vector<std::uint32_t>& out) {
  for (const auto& word : title_words(author)) {
    if (word.size() < 2) continue;
    out.push_back(std::max<std::uint32_t>(1, static_cast<std::uint32_t>(hash_of(word))));
  }
}

std::vector<std::uint32_t> LinkIndex::Impl::rows_of(const std::vector<HashRow>& table,
                                                    std::uint64_t hash) const {
  std::vector<std::uint32_t> rows;
  for (auto it = std::lower_bound(table.begin(), table.end(), HashRow{hash, 0});
       it != table.end() && it->first == hash; ++it) {
    rows.push_back(it->second);
  }
  return rows;
}

std::pair<const std::uint32_t*, const std::uint32_t*> LinkIndex::Impl::postings(std::uint64_t term) const {
  const auto found = std::lower_bound(terms.begin(), terms.end(), term);
  if (found == terms.end() || *found != term) return {nullptr, nullptr};
  const auto i = static_cast<std::size_t>(found - terms.begin());
  return {term_rows.data() + term_begins[i], term_rows.data() + term_begins[i + 1]};
}

double LinkIndex::Impl::information(const std::vector<std::string>& words) const {
  double sum = 0;
  for (const auto& word : words) {
    if (is_function_word(word) || word.size() < 2) continue;
    const auto [begin, end] = postings(hash_of(word));
    const double frequency = static_cast<double>(end - begin);
    sum += std::clamp(std::log((static_cast<double>(size()) + 1.0) / (frequency + 0.5)), 2.0, 9.0);
  }
  return sum;
}

std::vector<std::uint32_t> LinkIndex::Impl::near_rows(const std::vector<std::string>& words,
                                                      std::size_t most) const {
  struct Term {
    const std::uint32_t* begin;
    const std::uint32_t* end;
  };
  std::vector<Term> found;
  const std::size_t count = std::min<std::size_t>(words.size(), 60);
  for (std::size_t i = 0; i < count; ++i) {
    for (const bool pair : {false, true}) {
      if (pair && i + 1 >= count) continue;
      const auto [begin, end] = postings(pair ? pair_hash(words[i], words[i + 1]) : hash_of(words[i]));
      const auto size_here = static_cast<std::size_t>(end - begin);
      if (size_here > 0 && size_here <= kCommonTerm) found.push_back({begin, end});
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Term& a, const Term& b) { return a.end - a.begin < b.end - b.begin; });
  std::vector<std::pair<std::uint32_t, float>> weighted;
  std::size_t read = 0;
  for (const Term& term : found) {
    const auto here = static_cast<std::size_t>(term.end - term.begin);
    if (read + here > kMostPostings) break;
    read += here;
    const auto weight = static_cast<float>(std::log((size() + 1.0) / (static_cast<double>(here) + 0.5)));
    for (const auto* row = term.begin; row != term.end; ++row) weighted.emplace_back(*row, weight);
  }
  std::sort(weighted.begin(), weighted.end());
  std::vector<std::pair<float, std::uint32_t>> sums;
  for (const auto& [row, weight] : weighted) {
    if (sums.empty() || sums.back().second != row) sums.emplace_back(0.F, row);
    sums.back().first += weight;
  }
  const auto better = [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  };
  const std::size_t keep = std::min(most, sums.size());
  std::partial_sort(sums.begin(), sums.begin() + static_cast<std::ptrdiff_t>(keep), sums.end(), better);
  std::vector<std::uint32_t> rows;
  for (std::size_t i = 0; i < keep; ++i) rows.push_back(sums[i].second);
  return rows;
}

LinkIndexBuilder::LinkIndexBuilder() : impl_(std::make_unique<LinkIndex::Impl>()) {}
LinkIndexBuilder::~LinkIndexBuilder() = default;

void LinkIndexBuilder::add(const Paper& paper) {
  auto& index = *impl_;
  const std::uint32_t row = index.size();
  index.ids.add(paper.id.str());
  index.titles.add(paper.title);
  index.venues.add(paper.venue);
  index.urls.add(paper.url);
  index.tracks.add(paper.track);
  index.years.push_back(paper.date.year);
  const std::string doi = text::plain_doi(paper.doi);
  const std::string arxiv = text::plain_arxiv_id(paper.arxiv_id);
  index.dois.add(doi);
  index.arxiv_ids.add(arxiv);
  std::string joined;
  for (std::size_t i = 0; i < paper.authors.size(); ++i) {
    if (i > 0) joined += '\n';
    joined += paper.authors[i];
    add_name_words(paper.authors[i], index.names.values);
    if (i == 0) index.names.values.push_back(0);
  }
  index.authors.add(joined);
  index.names.begins.push_back(static_cast<std::uint32_t>(index.names.values.size()));
  const std::string key = text::title_key(paper.title);
  index.keys.add(key);
  index.by_id.emplace_back(hash_of(paper.id.str()), row);
  if (!key.empty()) index.by_key.emplace_back(hash_of(key), row);
  if (!doi.empty()) index.by_doi.emplace_back(hash_of(doi), row);
  if (!arxiv.empty()) index.by_arxiv.emplace_back(hash_of(arxiv), row);
  const auto words = title_words(paper.title);
  for (std::size_t i = 0; i < std::min<std::size_t>(words.size(), 60); ++i) {
    index.pending.emplace_back(hash_of(words[i]), row);
    if (i + 1 < words.size()) index.pending.emplace_back(pair_hash(words[i], words[i + 1]), row);
  }
}

LinkIndex LinkIndexBuilder::build() {
  auto& index = *impl_;
  for (auto* table : {&index.by_key, &index.by_doi, &index.by_arxiv, &index.by_id})
    std::sort(table->begin(), table->end());
  auto& pending = index.pending;
  std::sort(pending.begin(), pending.end());
  pending.erase(std::unique(pending.begin(), pending.end()), pending.end());
  index.term_rows.reserve(pending.size());
  for (const auto& [term, row] : pending) {
    if (index.terms.empty() || index.terms.back() != term) {
      index.terms.push_back(term);
      index.term_begins.push_back(static_cast<std::uint32_t>(index.term_rows.size()));
    }
    index.term_rows.push_back(row);
  }
  index.term_begins.push_back(static_cast<std::uint32_t>(index.term_rows.size()));
  std::vector<LinkIndex::Impl::HashRow>().swap(pending);
  auto built = LinkIndex(std::move(impl_));
  impl_ = std::make_unique<LinkIndex::Impl>();
  return built;
}

LinkIndex::LinkIndex(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
LinkIndex::LinkIndex(LinkIndex&&) noexcept = default;
LinkIndex& LinkIndex::operator=(LinkIndex&&) noexcept = default;
LinkIndex::~LinkIndex() = default;

std::uint32_t LinkIndex::size() const noexcept {
  return impl_->size();
}

Record LinkIndex::record(std::uint32_t row) const {
  return {impl_->ids.at(row),    impl_->titles.at(row), impl_->authors.at(row),
          impl_->venues.at(row), impl_->dois.at(row),   impl_->arxiv_ids.at(row),
          impl_->urls.at(row),   impl_->tracks.at(row), impl_->years[row]};
}

std::uint32_t LinkIndex::find(std::string_view paper_id) const {
  for (const auto row : impl_->rows_of(impl_->by_id, hash_of(paper_id))) {
    if (impl_->ids.at(row) == paper_id) return row;
  }
  return kNoRow;
}

std::vector<std::uint32_t> LinkIndex::rows_with_key(std::string_view title_key) const {
  if (title_key.empty()) return {};
  auto rows = impl_->rows_of(impl_->by_key, hash_of(title_key));
  std::erase_if(rows, [&](std::uint32_t row) { return impl_->keys.at(row) != title_key; });
  return rows;
}

}  // namespace mustcite::link
