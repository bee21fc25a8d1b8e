#include <algorithm>
#include <cmath>

#include "core/base/threads.hpp"
#include "engine/rank/lsi.hpp"
#include "engine/rank/lsi_format.hpp"
#include "engine/rank/signs.hpp"
#include "engine/rank/svd.hpp"

namespace mustcite::rank {
namespace {

using Advance = std::function<void(std::uint64_t)>;
using Terms = std::vector<index::QueryTerm>;

class LsiBuilder {
 public:
  LsiBuilder(const Lsi::Source& source, const LsiSpan& span, const LsiOptions& options,
             const Advance& advance)
      : from_(source), span_(span), options_(options), advance_(advance) {}

  void choose_terms();
  void learn_directions();
  /// Trains the term vectors on citations and on titles with their abstracts.
  void learn_pairs();
  /// Writes the space of the present term vectors.
  void write(const std::filesystem::path& file) const;

 private:
  void advanced(std::uint64_t units) const {
    if (advance_) advance_(units);
  }
  void add_row(SparseRows& matrix, const Terms& terms) const;
  [[nodiscard]] Terms citing_terms(std::uint32_t row) const;
  [[nodiscard]] QuantisedTable quantise() const;
  QuantisedTable project(const LsiBasis& basis, std::size_t count,
                         const std::function<Terms(std::uint32_t)>& terms_of) const;

  const Lsi::Source& from_;
  const LsiSpan& span_;
  const LsiOptions& options_;
  const Advance& advance_;
  std::vector<std::uint32_t> rows_;  ///< per term of the text index
  std::vector<float> idf_;           ///< per row
  std::vector<float> vectors_;       ///< rows x dims
  std::size_t dims_ = 0;
};

void LsiBuilder::choose_terms() {
  std::vector<std::uint32_t> documents(from_.text.vocabulary(), 0);
  for (std::uint32_t doc = 0; doc < span_.fitted; ++doc) {
    for (const index::QueryTerm& term : from_.text.document_terms(DocId{doc})) ++documents[term.term];
  }
  const std::uint32_t least =
      span_.fitted < 1000 ? std::min(options_.min_documents, 2U) : options_.min_documents;
  const double most = std::max(options_.max_share * span_.fitted, 2.0);
  rows_.assign(documents.size(), LsiBasis::kNoRow);
  for (std::size_t term = 0; term < documents.size(); ++term) {
    if (documents[term] < least || documents[term] > most) continue;
    rows_[term] = static_cast<std::uint32_t>(idf_.size());
    idf_.push_back(static_cast<float>(std::log((span_.fitted + 1.0) / (documents[term] + 1.0))));
  }
  advanced(span_.fitted);
}

void LsiBuilder::add_row(SparseRows& matrix, const Terms& terms) const {
  const std::size_t first = matrix.values.size();
  for (const index::QueryTerm& term : terms) {
    if (term.term >= rows_.size() || rows_[term.term] == LsiBasis::kNoRow || !(term.weight > 0)) continue;
    matrix.columns.push_back(rows_[term.term]);
    matrix.values.push_back((1.0F + std::log(term.weight)) * idf_[rows_[term.term]]);
  }
  normalise(std::span(matrix.values).subspan(first));
  matrix.begin.push_back(matrix.values.size());
}

void LsiBuilder::learn_directions() {
  SparseRows matrix;
  matrix.width = static_cast<std::uint32_t>(idf_.size());
  for (std::uint32_t doc = 0; doc < span_.fitted; ++doc)
    add_row(matrix, from_.text.document_terms(DocId{doc}));
  SvdOptions options;
  options.rank = options_.dims;
  options.seed = options_.seed;
  options.threads = options_.threads;
  const Svd svd = truncated_svd(matrix, options, [&] { advanced(span_.fitted); });
  dims_ = (std::max<std::size_t>(svd.rank, 1) + 63) / 64 * 64;
  vectors_.assign(idf_.size() * dims_, 0.0F);
  for (std::size_t d = 0; d < svd.rank; ++d) {
    const double factor = std::pow(double{svd.singular_values[d]}, -options_.spectrum);
    for (std::size_t row = 0; row < idf_.size(); ++row) {
      vectors_[row * dims_ + d] = static_cast<float>(svd.right[row * svd.rank + d] * factor);
    }
  }
}

void LsiBuilder::learn_pairs() {
  // Rows: the documents, their titles, their abstracts, then citing papers that are no (old enough)
  // documents.
  std::vector<std::uint32_t> term_of(from_.titles.vocabulary(), LsiBasis::kNoRow);
  for (std::uint32_t t = 0; t < term_of.size(); ++t) {
    if (const auto term = from_.text.term_id(from_.titles.term(t))) term_of[t] = *term;
  }
  SparseRows texts, titles, abstracts;
  texts.width = static_cast<std::uint32_t>(idf_.size());
  for (std::uint32_t doc = 0; doc < span_.fitted; ++doc) {
    Terms all = from_.text.document_terms(DocId{doc});
    Terms title = from_.titles.document_terms(DocId{doc});
    for (index::QueryTerm& term : title) term.term = term_of[term.term];
    add_row(texts, all);
    add_row(titles, title);
    for (const index::QueryTerm& term : title) {
      const auto at =
          std::lower_bound(all.begin(), all.end(), term.term,
                           [](const index::QueryTerm& item, std::uint32_t id) { return item.term < id; });
      if (at != all.end() && at->term == term.term) at->weight -= term.weight;
    }
    add_row(abstracts, all);
  }
  const auto append = [&](const SparseRows& more) {
    const std::uint64_t base = texts.values.size();
    texts.columns.insert(texts.columns.end(), more.columns.begin(), more.columns.end());
    texts.values.insert(texts.values.end(), more.values.begin(), more.values.end());
    for (std::size_t i = 1; i < more.begin.size(); ++i) texts.begin.push_back(base + more.begin[i]);
  };
  append(titles);
  append(abstracts);
  std::vector<TextPair> pairs;
  const auto add_pair = [&](std::uint32_t query, std::uint32_t target) {
    const bool empty =
        texts.begin[query] == texts.begin[query + 1] || texts.begin[target] == texts.begin[target + 1];
    if (!empty) pairs.push_back({query, target});
  };
  for (std::uint32_t citing = 0; citing < span_.citing; ++citing) {
    const graph::CitationGraph::Range range = from_.graph.references(citing, span_.evidence);
    if (range.first == range.last) continue;
    std::uint32_t row = from_.graph.document_of(citing).value;
    if (row >= span_.fitted) {
      row = static_cast<std::uint32_t>(texts.rows());
      add_row(texts, citing_terms(citing));
    }
    for (std::uint32_t e = range.first; e < range.last; ++e) {
      const graph::Edge& edge = from_.graph.edge(e);
      if (edge.cited.value < span_.fitted && !from_.graph.is_self_citation(edge))
        add_pair(row, edge.cited.value);
    }
  }
  for (std::uint32_t doc = 0; doc < span_.fitted; ++doc) add_pair(span_.fitted + doc, 2 * span_.fitted + doc);

  double squares = 0;
  for (const float value : vectors_) squares += double{value} * value;
  const auto factor =
      squares > 0 ? static_cast<float>(std::sqrt(static_cast<double>(idf_.size()) / squares)) : 1.0F;
  for (float& value : vectors_) value *= factor;
  EmbeddingOptions options = options_.embedding;
  options.threads = options_.threads;
  options.seed = options_.seed;
  const std::uint64_t total = 4 * std::uint64_t{span_.fitted};
  const std::uint64_t whole =
      std::max<std::uint64_t>(pairs.size() * static_cast<std::uint64_t>(options.epochs), 1);
  std::uint64_t done = 0, told = 0;
  train_embedding(texts, pairs, vectors_, dims_, options, [&](std::size_t n) {
    done += n;
    const std::uint64_t now = total * done / whole;
    advanced(now - told);
    told = now;
  });
}

QuantisedTable LsiBuilder::quantise() const {
  QuantisedTable table(dims_);
  for (std::size_t row = 0; row < idf_.size(); ++row)
    table.add(std::span(vectors_).subspan(row * dims_, dims_));
  return table;
}

Terms LsiBuilder::citing_terms(std::uint32_t row) const {
  const auto view = from_.snapshot.citing(row);
  if (view.doc.value < from_.text.rows()) return from_.text.document_terms(view.doc);
  return from_.text.parse(std::string(view.title) + " " + std::string(view.abstract));
}

QuantisedTable LsiBuilder::project(const LsiBasis& basis, std::size_t count,
                                   const std::function<Terms(std::uint32_t)>& terms_of) const {
  constexpr std::size_t kChunk = 4096;
  QuantisedTable table(dims_);
  std::vector<std::vector<float>> chunk(kChunk);
  for (std::size_t first = 0; first < count; first += kChunk) {
    stop_if_interrupted();
    const std::size_t n = std::min(kChunk, count - first);
    parallel_for(n, options_.threads, [&](std::size_t i, std::size_t) {
      chunk[i] = basis.fold_in(terms_of(static_cast<std::uint32_t>(first + i)));
    });
    for (std::size_t i = 0; i < n; ++i) table.add(chunk[i]);
    advanced(n);
  }
  return table;
}

void write_rows(snapshot::SectionWriter& out, const std::string& name, const QuantisedRows& rows) {
  out.begin(name + "v");
  out.write(rows.values);
  out.begin(name + "s");
  out.write(rows.scales);
  out.begin(name + "n");
  out.write(rows.sums);
}

void LsiBuilder::write(const std::filesystem::path& file) const {
  const QuantisedTable terms = quantise();
  const LsiBasis basis{rows_, idf_, terms.rows()};
  const QuantisedTable documents = project(
      basis, span_.documents, [&](std::uint32_t doc) { return from_.text.document_terms(DocId{doc}); });
  const QuantisedTable citing =
      project(basis, span_.citing, [&](std::uint32_t row) { return citing_terms(row); });
  snapshot::SectionWriter out(file, kLsiKind);
  out.begin("head");
  const LsiHead head{span_, static_cast<std::uint32_t>(dims_), 0};
  out.write(std::span<const LsiHead>(&head, 1));
  out.begin("digest");
  out.write(std::string_view(from_.snapshot.digest()));
  out.section("termrow", rows_);
  out.section("idf", idf_);
  write_rows(out, "basis", terms.rows());
  write_rows(out, "docs", documents.rows());
  out.section("docsigns", signs_of(documents.rows()));
  write_rows(out, "citing", citing.rows());
  out.close();
}

}  // namespace

void Lsi::build(const Source& source, const LsiSpan& span, const LsiOptions& options, const LsiFiles& files,
                const Advance& advance) {
  LsiBuilder builder(source, span, options, advance);
  builder.choose_terms();
  builder.learn_directions();
  builder.write(files.lsi);
  builder.learn_pairs();
  builder.write(files.embedding);
}

}  // namespace mustcite::rank
