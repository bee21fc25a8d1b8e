#include "stages/collect/ledger.hpp"

#include "core/base/error.hpp"
#include "core/store/sqlite.hpp"

namespace mustcite::collect {
namespace {

constexpr std::int64_t kVersion = 1;
constexpr std::int64_t kApplicationId = 0x4D434343;  // "MCCC"

constexpr const char* kTables = R"sql(
CREATE TABLE papers (
  id TEXT PRIMARY KEY,
  venue TEXT NOT NULL,
  year INTEGER NOT NULL,
  official_id TEXT NOT NULL,
  track TEXT NOT NULL,
  main INTEGER NOT NULL,
  reason TEXT NOT NULL,
  printed_title TEXT NOT NULL,
  page_url TEXT NOT NULL,
  pdf_url TEXT NOT NULL,
  openreview_id TEXT NOT NULL,
  source TEXT NOT NULL,
  collected_at TEXT NOT NULL,
  has_abstract INTEGER NOT NULL,
  details TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX papers_by_edition ON papers (venue, year);
CREATE TABLE pdfs (
  id TEXT PRIMARY KEY,
  sha256 TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  pages INTEGER NOT NULL,
  problem TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE editions (
  venue TEXT NOT NULL,
  year INTEGER NOT NULL,
  source TEXT NOT NULL,
  status TEXT NOT NULL,
  problem TEXT NOT NULL,
  listed INTEGER NOT NULL,
  stated INTEGER,
  main INTEGER NOT NULL,
  excluded INTEGER NOT NULL,
  details_failed INTEGER NOT NULL,
  finished_at TEXT NOT NULL,
  PRIMARY KEY (venue, year)
) WITHOUT ROWID;
)sql";

constexpr const char* kSelectPapers =
    "SELECT id, venue, year, official_id, track, main, reason, printed_title, page_url, pdf_url, "
    "openreview_id, "
    "source, collected_at, has_abstract, details FROM papers WHERE (?1 = '' OR (venue = ?1 AND (?2 = 0 OR "
    "year = ?2))) "
    "ORDER BY id";

}  // namespace

struct Ledger::Impl {
  explicit Impl(const std::filesystem::path& file) : database(file, store::Database::Access::create) {
    database.run("PRAGMA journal_mode = WAL");
    database.run("PRAGMA synchronous = NORMAL");
    const auto application = database.integer("PRAGMA application_id");
    const auto version = database.integer("PRAGMA user_version");
    if (application == 0 && version == 0) {
      database.run("BEGIN IMMEDIATE");
      database.run(kTables);
      database.run(fmt::format("PRAGMA application_id = {}", kApplicationId).c_str());
      database.run(fmt::format("PRAGMA user_version = {}", kVersion).c_str());
      database.run("COMMIT");
    } else if (application != kApplicationId || version != kVersion) {
      fail(ErrorCode::corrupt,
           "{} is no ledger of collections of this version; move it away and collect again (the "
           "cache keeps the pages)",
           file.string());
    }
  }
  mutable store::Database database;
};

Ledger::Ledger(const std::filesystem::path& file) : impl_(std::make_unique<Impl>(file)) {}
Ledger::~Ledger() {
  if (impl_->database.in_transaction()) impl_->database.run("ROLLBACK");
}

void Ledger::begin() {
  impl_->database.run("BEGIN IMMEDIATE");
}

void Ledger::commit() {
  impl_->database.run("COMMIT");
}

void Ledger::put(const Provenance& paper) {
  store::Statement put(impl_->database,
                       "INSERT OR REPLACE INTO papers VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
  put.bind(1, paper.id).bind(2, paper.venue).bind(3, std::int64_t{paper.year}).bind(4, paper.official_id);
  put.bind(5, paper.track)
      .bind(6, std::int64_t{paper.main})
      .bind(7, paper.reason)
      .bind(8, paper.printed_title);
  put.bind(9, paper.page_url).bind(10, paper.pdf_url).bind(11, paper.openreview_id).bind(12, paper.source);
  put.bind(13, paper.collected_at).bind(14, std::int64_t{paper.has_abstract}).bind(15, paper.details);
  put.execute();
}

void Ledger::put(const EditionState& edition) {
  store::Statement put(impl_->database, "INSERT OR REPLACE INTO editions VALUES (?,?,?,?,?,?,?,?,?,?,?)");
  put.bind(1, edition.venue)
      .bind(2, std::int64_t{edition.year})
      .bind(3, edition.source)
      .bind(4, edition.status);
  put.bind(5, edition.problem).bind(6, static_cast<std::int64_t>(edition.listed));
  if (edition.stated)
    put.bind(7, static_cast<std::int64_t>(*edition.stated));
  else
    put.bind_null(7);
  put.bind(8, static_cast<std::int64_t>(edition.main)).bind(9, static_cast<std::int64_t>(edition.excluded));
  put.bind(10, static_cast<std::int64_t>(edition.details_failed)).bind(11, edition.finished_at);
  put.execute();
}

void Ledger::put_pdf(const std::string& id, const PdfState& state) {
  store::Statement put(impl_->database, "INSERT OR REPLACE INTO pdfs VALUES (?,?,?,?,?)");
  put.bind(1, id).bind(2, state.sha256).bind(3, static_cast<std::int64_t>(state.bytes));
  put.bind(4, static_cast<std::int64_t>(state.pages)).bind(5, state.problem);
  put.execute();
}

void Ledger::clear(const std::string& venue, int year) {
  store::Statement remove(impl_->database, "DELETE FROM papers WHERE venue = ? AND year = ?");
  remove.bind(1, venue).bind(2, std::int64_t{year});
  remove.execute();
}

std::vector<Coverage> Ledger::coverage() const {
  store::Statement query(
      impl_->database,
      "SELECT venue, year, sum(main), sum(main AND has_abstract), sum(main AND pdf_url <> ''), "
      "sum(main AND ifnull(sha256, '') <> ''), sum(NOT main) FROM papers LEFT JOIN pdfs USING (id) "
      "GROUP BY venue, year ORDER BY venue, year");
  std::vector<Coverage> rows;
  while (query.step()) {
    const auto number = [&](int column) { return static_cast<std::size_t>(query.integer(column)); };
    rows.push_back({std::string(query.text(0)), static_cast<int>(query.integer(1)), number(2), number(3),
                    number(4), number(5), number(6)});
  }
  return rows;
}

std::vector<EditionState> Ledger::editions() const {
  store::Statement query(impl_->database, "SELECT * FROM editions ORDER BY venue, year");
  std::vector<EditionState> rows;
  while (query.step()) {
    EditionState row;
    row.venue = query.text(0);
    row.year = static_cast<int>(query.integer(1));
    row.source = query.text(2);
    row.status = query.text(3);
    row.problem = query.text(4);
    row.listed = static_cast<std::size_t>(query.integer(5));
    if (const auto stated = query.maybe(6)) row.stated = static_cast<std::size_t>(*stated);
    row.main = static_cast<std::size_t>(query.integer(7));
    row.excluded = static_cast<std::size_t>(query.integer(8));
    row.details_failed = static_cast<std::size_t>(query.integer(9));
    row.finished_at = query.text(10);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::optional<PdfState> Ledger::pdf(const std::string& id) const {
  store::Statement query(impl_->database, "SELECT sha256, bytes, pages, problem FROM pdfs WHERE id = ?");
  query.bind(1, id);
  if (!query.step()) return std::nullopt;
  return PdfState{std::string(query.text(0)), static_cast<std::uint64_t>(query.integer(1)),
                  static_cast<std::uint64_t>(query.integer(2)), std::string(query.text(3))};
}

void Ledger::each(const std::string& venue, int year,
                  const std::function<void(const Provenance&)>& visit) const {
  store::Statement query(impl_->database, kSelectPapers);
  query.bind(1, venue).bind(2, std::int64_t{year});
  while (query.step()) {
    Provenance paper;
    paper.id = query.text(0);
    paper.venue = query.text(1);
    paper.year = static_cast<int>(query.integer(2));
    paper.official_id = query.text(3);
    paper.track = query.text(4);
    paper.main = query.integer(5) != 0;
    paper.reason = query.text(6);
    paper.printed_title = query.text(7);
    paper.page_url = query.text(8);
    paper.pdf_url = query.text(9);
    paper.openreview_id = query.text(10);
    paper.source = query.text(11);
    paper.collected_at = query.text(12);
    paper.has_abstract = query.integer(13) != 0;
    paper.details = query.text(14);
    visit(paper);
  }
}

}  // namespace mustcite::collect
