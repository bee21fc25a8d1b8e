#include "core/base/error.hpp"
#include "core/store/catalog_impl.hpp"

namespace mustcite::store {
namespace {

Date read_date(const Statement& row, int first) {
  return {static_cast<int>(row.integer(first)), static_cast<int>(row.integer(first + 1)),
          static_cast<int>(row.integer(first + 2))};
}

std::string read_text(const Statement& row, int column, TextCodec& codec) {
  return row.is_blob(column) ? codec.restore(row.text(column)) : std::string(row.text(column));
}

}  // namespace

Paper read_paper(const Statement& row, int first, TextCodec& codec) {
  Paper paper;
  paper.id = PaperId(std::string(row.text(first)));
  paper.title = row.text(first + 1);
  paper.authors = decode_names(row.text(first + 2));
  paper.venue = row.text(first + 3);
  paper.date = read_date(row, first + 4);
  paper.track = row.text(first + 7);
  paper.url = row.text(first + 8);
  paper.doi = row.text(first + 9);
  paper.arxiv_id = row.text(first + 10);
  paper.abstract = read_text(row, first + 11, codec);
  return paper;
}

Citation read_citation(const Statement& row, int first, TextCodec& codec) {
  Citation citation;
  citation.citing = PaperId(std::string(row.text(first)));
  citation.cited = PaperId(std::string(row.text(first + 1)));
  citation.citing_year = static_cast<int>(row.integer(first + 2));
  citation.mentions = row.maybe(first + 3);
  citation.exp_mentions = row.maybe(first + 4);
  citation.marker = row.text(first + 5);
  citation.contexts = decode_contexts(read_text(row, first + 6, codec));
  return citation;
}

std::optional<Paper> Catalog::paper(const PaperId& id) const {
  auto& row = *impl_->paper_by_id;
  const ResetGuard guard(row);
  row.bind(1, id.str());
  if (!row.step()) return std::nullopt;
  return read_paper(row, 0, impl_->codec);
}

std::vector<Paper> Catalog::papers_by_title(std::string_view title_key) const {
  auto& row = *impl_->papers_by_title;
  const ResetGuard guard(row);
  row.bind(1, title_key);
  std::vector<Paper> papers;
  while (row.step()) papers.push_back(read_paper(row, 0, impl_->codec));
  return papers;
}

// The streams prepare their own statements: a visitor may ask the catalog about other records meanwhile.

void Catalog::each_paper(const std::function<void(const Paper&)>& visit) const {
  Statement row(*impl_->database, fmt::format("SELECT {} FROM papers ORDER BY id", kPaperColumns).c_str());
  while (row.step()) visit(read_paper(row, 0, impl_->codec));
}

void Catalog::each_citation(const std::function<void(const Citation&)>& visit) const {
  Statement row(*impl_->database,
                fmt::format("SELECT {} FROM citations ORDER BY citing, cited", kCitationColumns).c_str());
  while (row.step()) visit(read_citation(row, 0, impl_->codec));
}

void Catalog::each_label(const std::function<void(const Label&)>& visit) const {
  Statement row(*impl_->database,
                "SELECT citing, cited, tier, value, judge, definition, year, month, day, model, probability,"
                " reply FROM labels ORDER BY citing, cited, tier, judge, model, definition");
  while (row.step()) {
    Label label;
    label.citing = PaperId(std::string(row.text(0)));
    label.cited = PaperId(std::string(row.text(1)));
    label.tier = parse_tier(std::string(row.text(2)));
    label.value = static_cast<int>(row.integer(3));
    label.judge = row.text(4);
    label.definition = row.text(5);
    label.date = read_date(row, 6);
    label.model = row.text(9);
    label.probability = row.maybe_real(10);
    label.reply = row.text(11);
    visit(label);
  }
}

void Catalog::each_reject(const std::function<void(const Reject&)>& visit) const {
  Statement row(*impl_->database,
                "SELECT source, line, item, reason FROM rejects ORDER BY source, line, reason, item");
  while (row.step()) {
    visit({std::string(row.text(0)), static_cast<std::uint64_t>(row.integer(1)), std::string(row.text(2)),
           std::string(row.text(3))});
  }
}

}  // namespace mustcite::store
