#include "engine/index/sparse_index.hpp"

#include <algorithm>
#include <unordered_map>

#include "core/base/error.hpp"
#include "core/base/threads.hpp"
#include "engine/index/bm25.hpp"
#include "engine/index/index_file.hpp"

namespace mustcite::index {

struct SparseIndex::Impl {
  Impl(const std::filesystem::path& path, const std::string& digest) : file(path, digest) {}
  IndexFile file;
};

SparseIndex::SparseIndex(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SparseIndex::SparseIndex(SparseIndex&&) noexcept = default;
SparseIndex& SparseIndex::operator=(SparseIndex&&) noexcept = default;
SparseIndex::~SparseIndex() = default;

SparseIndex SparseIndex::open(const std::filesystem::path& file_prefix, const std::string& snapshot_digest) {
  return SparseIndex(std::make_unique<Impl>(file_prefix.string() + ".bin", snapshot_digest));
}

std::uint32_t SparseIndex::rows() const noexcept { return impl_->file.rows(); }
std::uint32_t SparseIndex::vocabulary() const noexcept { return impl_->file.vocabulary(); }
const text::Analyzer& SparseIndex::analyzer() const noexcept { return *impl_->file.analyzer; }
const std::string& SparseIndex::snapshot_digest() const noexcept { return impl_->file.snapshot_digest; }

std::optional<std::uint32_t> SparseIndex::term_id(std::string_view term) const { return impl_->file.term_id(term); }
std::string_view SparseIndex::term(std::uint32_t id) const { return impl_->file.term(id); }

std::uint32_t SparseIndex::document_frequency(std::uint32_t term, std::uint32_t prefix) const {
  return impl_->file.document_frequency(term, prefix);
}

std::vector<QueryTerm> SparseIndex::document_terms(DocId doc) const {
  std::vector<QueryTerm> terms;
  impl_->file.each_term(doc.value, [&](std::uint32_t term, std::uint32_t frequency) {
    terms.push_back({term, static_cast<float>(frequency)});
  });
  return terms;
}

float SparseIndex::document_length(DocId doc) const { return static_cast<float>(impl_->file.lengths[doc.value]); }

std::vector<QueryTerm> SparseIndex::parse(std::string_view text) const {
  return count_terms(impl_->file.analyzer->terms(text));
}

std::vector<QueryTerm> SparseIndex::count_terms(std::span<const std::string> terms) const {
  std::vector<QueryTerm> query;
  query.reserve(terms.size());
  for (const auto& term : terms) {
    if (const auto id = impl_->file.term_id(term)) query.push_back({*id, 1.0F});
  }
  std::sort(query.begin(), query.end(), [](const auto& a, const auto& b) { return a.term < b.term; });
  std::size_t kept = 0;
  for (const auto& item : query) {
    if (kept > 0 && query[kept - 1].term == item.term) {
      query[kept - 1].weight += 1;
    } else {
      query[kept++] = item;
    }
  }
  query.resize(kept);
  return query;
}

std::vector<Scored> SparseIndex::search(std::span<const QueryTerm> query, const SearchOptions& options) const {
  const auto prepared = prepare(impl_->file, query, options);
  if (prepared.terms.size() > kMaxBlockTerms) return search_plain(query, options);
  return search_blocks(impl_->file, prepared, options);
}

std::vector<Scored> SparseIndex::search_plain(std::span<const QueryTerm> query, const SearchOptions& options) const {
  const auto prepared = prepare(impl_->file, query, options);
  const auto& file = impl_->file;
  std::vector<Scored> all;
  if (prepared.terms.empty()) return all;
  for (std::uint32_t row = 0; row < prepared.prefix; ++row) {
    if (std::binary_search(options.exclude.begin(), options.exclude.end(), DocId{row})) continue;
    const float norm = prepared.norm(file.lengths[row]);
    float score = 0;
    auto wanted = prepared.terms.begin();
    file.each_term(row, [&](std::uint32_t term, std::uint32_t frequency) {
      while (wanted != prepared.terms.end() && wanted->term < term) ++wanted;
      if (wanted != prepared.terms.end() && wanted->term == term) {
        score += contribution(wanted->factor, frequency, norm);
      }
    });
    if (score > 0) all.push_back({DocId{row}, score});
  }
  std::sort(all.begin(), all.end(), better);
  if (all.size() > options.depth) all.resize(options.depth);
  return all;
}

std::vector<std::vector<Scored>> SparseIndex::search_many(std::span<const std::vector<QueryTerm>> queries,
                                                          std::span<const SearchOptions> options,
                                                          std::size_t threads) const {
  if (options.size() != queries.size() && options.size() != 1) {
    fail(ErrorCode::internal, "searching {} queries with {} options", queries.size(), options.size());
  }
  std::vector<std::vector<Scored>> results(queries.size());
  parallel_for(queries.size(), threads, [&](std::size_t i, std::size_t) {
    results[i] = search(queries[i], options.size() == 1 ? options[0] : options[i]);
  });
  return results;
}

void SparseIndex::score(std::span<const QueryTerm> query, std::span<const DocId> docs, const SearchOptions& options,
                        std::span<float> scores) const {
  const auto prepared = prepare(impl_->file, query, options);
  const RowScorer scorer(impl_->file, prepared);
  for (std::size_t i = 0; i < docs.size(); ++i) {
    scorer.prefetch(docs[std::min(i + 4, docs.size() - 1)].value);
    scores[i] = scorer.score(docs[i].value);
  }
}

std::vector<SparseIndex::Contribution> SparseIndex::explain(std::span<const QueryTerm> query, DocId doc,
                                                            const SearchOptions& options) const {
  const auto prepared = prepare(impl_->file, query, options);
  const float norm = prepared.norm(impl_->file.lengths[doc.value]);
  std::vector<Contribution> parts;
  auto wanted = prepared.terms.begin();
  impl_->file.each_term(doc.value, [&](std::uint32_t term, std::uint32_t frequency) {
    while (wanted != prepared.terms.end() && wanted->term < term) ++wanted;
    if (wanted != prepared.terms.end() && wanted->term == term) {
      parts.push_back({term, contribution(wanted->factor, frequency, norm)});
    }
  });
  std::stable_sort(parts.begin(), parts.end(),
                   [](const auto& a, const auto& b) { return a.score > b.score; });
  return parts;
}

}  // namespace mustcite::index
