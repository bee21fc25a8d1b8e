#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "core/base/threads.hpp"
#include "engine/rank/lsi.hpp"
#include "engine/rank/lsi_format.hpp"
#include "engine/rank/svd.hpp"

namespace mustcite::rank {
namespace {

using Advance = std::function<void(std::uint64_t)>;

class LsiBuilder {
 public:
  LsiBuilder(const index::SparseIndex& text, const snapshot::Snapshot& snapshot, const LsiSpan& span,
             const LsiOptions& options)
      : text_(text), snapshot_(snapshot), span_(span), options_(options) {}

  void choose_terms();
  void learn(const std::function<void()>& after_round);
  /// Vectors of `count` texts; `terms_of` is called from several threads.
  QuantisedTable project(std::size_t count, const std::function<std::vector<index::QueryTerm>(std::uint32_t)>& terms_of,
                         const Advance& advance) const;
  [[nodiscard]] std::vector<index::QueryTerm> citing_terms(std::uint32_t row) const;
  [[nodiscard]] std::vector<float> map_to_cited(const graph::CitationGraph& graph, const QuantisedRows& documents,
                                                const QuantisedRows& citing) const;
  [[nodiscard]] const std::vector<std::uint32_t>& rows() const { return rows_; }
  [[nodiscard]] const std::vector<float>& idf() const { return idf_; }
  [[nodiscard]] QuantisedRows vectors() const { return vectors_.rows(); }
  [[nodiscard]] std::size_t dims() const { return vectors_.rows().dims; }

 private:
  const index::SparseIndex& text_;
  const snapshot::Snapshot& snapshot_;
  const LsiSpan& span_;
  const LsiOptions& options_;
  std::vector<std::uint32_t> rows_;
  std::vector<float> idf_;
  QuantisedTable vectors_{64};
};

void LsiBuilder::choose_terms() {
  std::vector<std::uint32_t> documents(text_.vocabulary(), 0);
  for (std::uint32_t doc = 0; doc < span_.fitted; ++doc) {
    for (const index::QueryTerm& term : text_.document_terms(DocId{doc})) ++documents[term.term];
  }
  const std::uint32_t least = span_.fitted < 1000 ? std::min(options_.min_documents, 2U) : options_.min_documents;
  const double most = std::max(options_.max_share * span_.fitted, 2.0);
  rows_.assign(documents.size(), LsiBasis::kNoRow);
  for (std::size_t term = 0; term < documents.size(); ++term) {
    if (documents[term] < least || documents[term] > most) continue;
    rows_[term] = static_cast<std::uint32_t>(idf_.size());
    idf_.push_back(static_cast<float>(std::log((span_.fitted + 1.0) / (documents[term] + 1.0))));
  }
}

void LsiBuilder::learn(const std::function<void()>& after_round) {
  SparseRows matrix;
  matrix.width = static_cast<std::uint32_t>(idf_.size());
  for (std::uint32_t doc = 0; doc < span_.fitted; ++doc) {
    const std::size_t first = matrix.values.size();
    for (const index::QueryTerm& term : text_.document_terms(DocId{doc})) {
      const std::uint32_t row = rows_[term.term];
      if (row == LsiBasis::kNoRow) continue;
      matrix.columns.push_back(row);
      matrix.values.push_back((1.0F + std::log(term.weight)) * idf_[row]);
    }
    normalise(std::span(matrix.values).subspan(first));
    matrix.begin.push_back(matrix.values.size());
  }
  SvdOptions options;
  options.rank = options_.dims;
  options.seed = options_.seed;
  options.threads = options_.threads;
  const Svd svd = truncated_svd(matrix, options, after_round);
  vectors_ = QuantisedTable(std::max<std::size_t>(svd.rank, 1));
  std::vector<float> vector(svd.rank);
  for (std::size_t row = 0; row < idf_.size(); ++row) {
    for (std::size_t d = 0; d < svd.rank; ++d) {
      const double factor = std::pow(double{svd.singular_values[d]}, -options_.spectrum);
      vector[d] = static_cast<float>(svd.right[row * svd.rank + d] * factor);
    }
    vectors_.add(vector);
  }
}

QuantisedTable LsiBuilder::project(std::size_t count,
                                   const std::function<std::vector<index::QueryTerm>(std::uint32_t)>& terms_of,
                                   const Advance& advance) const {
  constexpr std::size_t kChunk = 4096;
  const LsiBasis basis{rows_, idf_, vectors_.rows()};
  QuantisedTable table(dims());
  std::vector<std::vector<float>> chunk(kChunk);
  for (std::size_t first = 0; first < count; first += kChunk) {
    stop_if_interrupted();
    const std::size_t n = std::min(kChunk, count - first);
    parallel_for(n, options_.threads, [&](std::size_t i, std::size_t) {
      chunk[i] = basis.fold_in(terms_of(static_cast<std::uint32_t>(first + i)));
    });
    for (std::size_t i = 0; i < n; ++i) table.add(chunk[i]);
    if (advance) advance(n);
  }
  return table;
}

std::vector<index::QueryTerm> LsiBuilder::citing_terms(std::uint32_t row) const {
  const auto view = snapshot_.citing(row);
  if (view.doc.value < text_.rows()) return text_.document_terms(view.doc);
  return text_.parse(std::string(view.title) + " " + std::string(view.abstract));
}

std::vector<float> LsiBuilder::map_to_cited(const graph::CitationGraph& graph, const QuantisedRows& documents,
                                            const QuantisedRows& citing) const {
  // W = (Q'Q + ridge I)^-1 (Q'D + prior I), rows of Q and D: the citing and the cited vector of each citation.
  const auto dims = static_cast<Eigen::Index>(documents.dims);
  Eigen::MatrixXd qq = Eigen::MatrixXd::Identity(dims, dims) * options_.ridge;
  Eigen::MatrixXd qd = Eigen::MatrixXd::Identity(dims, dims) * options_.prior;
  std::vector<float> from(documents.dims), sum(documents.dims);
  for (std::uint32_t row = 0; row < span_.citing; ++row) {
    const graph::CitationGraph::Range range = graph.references(row, span_.evidence);
    std::fill(from.begin(), from.end(), 0.0F);
    std::fill(sum.begin(), sum.end(), 0.0F);
    double cited = 0;
    for (std::uint32_t e = range.first; e < range.last; ++e) {
      const std::uint32_t doc = graph.edge(e).cited.value;
      if (doc >= span_.fitted || graph.is_self_citation(graph.edge(e))) continue;
      documents.add_to(doc, 1.0F, sum);
      cited += 1;
    }
    if (cited == 0) continue;
    citing.add_to(row, 1.0F, from);
    const Eigen::VectorXd q = Eigen::Map<const Eigen::VectorXf>(from.data(), dims).cast<double>();
    const Eigen::VectorXd d = Eigen::Map<const Eigen::VectorXf>(sum.data(), dims).cast<double>();
    qq.selfadjointView<Eigen::Lower>().rankUpdate(q, cited);
    qd.noalias() += q * d.transpose();
  }
  const Eigen::MatrixXd whole = qq.selfadjointView<Eigen::Lower>();
  const Eigen::MatrixXd map = whole.ldlt().solve(qd);
  std::vector<float> values(documents.dims * documents.dims);
  for (Eigen::Index i = 0; i < dims; ++i) {
    for (Eigen::Index j = 0; j < dims; ++j) values[static_cast<std::size_t>(i * dims + j)] = static_cast<float>(map(i, j));
  }
  return values;
}

void write_rows(snapshot::SectionWriter& out, const std::string& name, const QuantisedRows& rows) {
  out.begin(name + "v");
  out.write(rows.values);
  out.begin(name + "s");
  out.write(rows.scales);
  out.begin(name + "n");
  out.write(rows.sums);
}

}  // namespace

void Lsi::build(const index::SparseIndex& text, const snapshot::Snapshot& snapshot, const graph::CitationGraph& graph,
                const LsiSpan& span, const LsiOptions& options, const std::filesystem::path& file,
                const Advance& advance) {
  LsiBuilder builder(text, snapshot, span, options);
  builder.choose_terms();
  if (advance) advance(span.fitted);
  builder.learn([&] {
    if (advance) advance(span.fitted);
  });
  const QuantisedTable documents = builder.project(
      span.documents, [&](std::uint32_t doc) { return text.document_terms(DocId{doc}); }, advance);
  const QuantisedTable citing = builder.project(
      span.citing, [&](std::uint32_t row) { return builder.citing_terms(row); }, advance);
  snapshot::SectionWriter out(file, kLsiKind);
  out.begin("head");
  const LsiHead head{span, static_cast<std::uint32_t>(builder.dims()), 0};
  out.write(std::span<const LsiHead>(&head, 1));
  out.begin("digest");
  out.write(std::string_view(snapshot.digest()));
  out.section("termrow", builder.rows());
  out.section("idf", builder.idf());
  write_rows(out, "basis", builder.vectors());
  write_rows(out, "docs", documents.rows());
  write_rows(out, "citing", citing.rows());
  out.section("map", builder.map_to_cited(graph, documents.rows(), citing.rows()));
  out.close();
}

}  // namespace mustcite::rank
