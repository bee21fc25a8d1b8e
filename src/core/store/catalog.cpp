#include "core/store/catalog.hpp"

#include <unistd.h>

#include <string>

#include "core/base/error.hpp"
#include "core/store/catalog_impl.hpp"
#include "core/store/schema_sql.hpp"

namespace mustcite::store {
namespace {

namespace fs = std::filesystem;

bool has_bytes(const fs::path& file) {
  std::error_code error;
  const auto size = fs::file_size(file, error);
  return !error && size > 0;
}

/// A reader of a write-ahead log needs a file of shared memory beside the catalog. Where the folder cannot be
/// written and no log waits, nobody can be writing: then the catalog is read without one.
std::unique_ptr<Database> open_to_read(const fs::path& file) {
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  const bool writable = ::access(folder.c_str(), W_OK) == 0;
  if (!writable && !has_bytes(file.string() + "-wal")) {
    return std::make_unique<Database>(file, Database::Access::read_immutable);
  }
  return std::make_unique<Database>(file, Database::Access::read);
}

void require_current(Database& database) {
  switch (inspect_schema(database)) {
    case SchemaState::current:
      return;
    case SchemaState::empty:
      fail(ErrorCode::not_found, "{} is an empty catalog; fill it with `mustcite import papers FILE`",
           database.file().string());
    case SchemaState::older:
      fail(ErrorCode::unavailable,
           "{} was written by an older mustcite and is open for reading only; make it writable; "
           "the next import brings it up to date",
           database.file().string());
  }
}

void prepare_to_write(Database& database) {
  database.run(
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -65536;"
      "PRAGMA wal_autocheckpoint = 8000; PRAGMA temp_store = MEMORY;");
  if (inspect_schema(database) != SchemaState::current) migrate(database);
}

}  // namespace

Catalog::Impl::Impl(const fs::path& file, Mode mode) {
  if (mode != Mode::create && !fs::exists(file)) {
    fail(ErrorCode::not_found,
         "there is no catalog {}; `mustcite init` makes a workspace, `mustcite import papers FILE` "
         "fills it",
         file.string());
  }
  if (mode == Mode::read_only) {
    database = open_to_read(file);
    database->run("PRAGMA cache_size = -65536; PRAGMA query_only = 1;");
    require_current(*database);
  } else {
    lock = std::make_unique<io::FileLock>(file.string() + ".lock");
    database = std::make_unique<Database>(
        file, mode == Mode::create ? Database::Access::create : Database::Access::write);
    prepare_to_write(*database);
  }
  state = read_state();
  const std::string columns = kPaperColumns;
  paper_by_id =
      std::make_unique<Statement>(*database, ("SELECT " + columns + " FROM papers WHERE id = ?1").c_str());
  papers_by_title = std::make_unique<Statement>(
      *database,
      ("SELECT " + columns + " FROM papers WHERE title_key = ?1 AND title_key <> '' ORDER BY id").c_str());
}

CatalogState Catalog::Impl::read_state() const {
  Statement row(
      *database,
      "SELECT papers, papers_with_abstract, citations, contexts, labels, rejects, digest FROM state");
  if (!row.step()) {
    fail(ErrorCode::corrupt, "{} has lost its table of totals; restore it from a pack or a copy",
         database->file().string());
  }
  CatalogState read;
  read.papers = row.integer(0);
  read.papers_with_abstract = row.integer(1);
  read.citations = row.integer(2);
  read.contexts = row.integer(3);
  read.labels = row.integer(4);
  read.rejects = row.integer(5);
  read.digest = static_cast<std::uint64_t>(row.integer(6));
  return read;
}

void Catalog::Impl::begin() {
  database->run("BEGIN IMMEDIATE");
  writes_open = true;
  try {
    state = read_state();
  } catch (...) {
    roll_back();
    throw;
  }
}

void Catalog::Impl::commit() {
  if (!database->in_transaction()) {
    fail(ErrorCode::exhausted,
         "the changes to {} were undone by an earlier failure, such as a full disk; run the command "
         "again",
         database->file().string());
  }
  auto& put = writing().put_state;
  put.bind(1, state.papers)
      .bind(2, state.papers_with_abstract)
      .bind(3, state.citations)
      .bind(4, state.contexts);
  put.bind(5, state.labels).bind(6, state.rejects).bind(7, static_cast<std::int64_t>(state.digest));
  put.execute();
  database->run("COMMIT");
  writes_open = false;
}

void Catalog::Impl::roll_back() noexcept {
  writes_open = false;
  // A full disk may have undone the transaction already.
  if (!database->in_transaction()) return;
  try {
    database->run("ROLLBACK");
  } catch (const Error&) {
    // The transaction was never committed, so it is undone at the latest when the file is next opened.
  }
}

WriteStatements& Catalog::Impl::writing() {
  if (lock == nullptr) {
    fail(ErrorCode::unavailable, "{} is open for reading only; nothing can be written to it",
         database->file().string());
  }
  if (write_statements == nullptr) write_statements = std::make_unique<WriteStatements>(*database);
  return *write_statements;
}

Catalog::Catalog(const fs::path& file, Mode mode) : impl_(std::make_unique<Impl>(file, mode)) {}
Catalog::~Catalog() = default;
Catalog::Catalog(Catalog&&) noexcept = default;
Catalog& Catalog::operator=(Catalog&&) noexcept = default;

Catalog::Batch::Batch(Catalog& catalog) : catalog_(&catalog) {
  if (catalog.impl_->database->in_transaction())
    fail(ErrorCode::internal, "a batch or a reading is open already");
  [[maybe_unused]] const auto& checked = catalog.impl_->writing();
  catalog.impl_->begin();
}

Catalog::Batch::~Batch() {
  if (open_) catalog_->impl_->roll_back();
}

void Catalog::Batch::commit() {
  if (!open_) fail(ErrorCode::internal, "the batch is committed already");
  catalog_->impl_->commit();
  open_ = false;
}

Catalog::Reading::Reading(const Catalog& catalog) : catalog_(&catalog) {
  // An open batch, or another reading, keeps the state still already.
  if (catalog.impl_->database->in_transaction()) return;
  catalog.impl_->database->run("BEGIN");
  open_ = true;
}

Catalog::Reading::~Reading() {
  if (open_) catalog_->impl_->roll_back();
}

CatalogCounts Catalog::counts() const {
  const CatalogState now = impl_->writes_open ? impl_->state : impl_->read_state();
  CatalogCounts counts;
  counts.papers = static_cast<std::uint64_t>(now.papers);
  counts.papers_with_abstract = static_cast<std::uint64_t>(now.papers_with_abstract);
  counts.citations = static_cast<std::uint64_t>(now.citations);
  counts.contexts = static_cast<std::uint64_t>(now.contexts);
  counts.labels = static_cast<std::uint64_t>(now.labels);
  counts.rejects = static_cast<std::uint64_t>(now.rejects);
  counts.dangling_citations = static_cast<std::uint64_t>(impl_->database->integer(
      "SELECT count(*) FROM citations c WHERE NOT EXISTS (SELECT 1 FROM papers WHERE id = c.citing)"
      " OR NOT EXISTS (SELECT 1 FROM papers WHERE id = c.cited)"));
  return counts;
}

std::string Catalog::revision() const {
  const CatalogState now = impl_->read_state();
  return fmt::format("{:016x}-{}-{}-{}", now.digest, now.papers, now.citations, now.labels);
}

std::optional<std::string> Catalog::fact(std::string_view name) const {
  Statement row(*impl_->database, "SELECT value FROM facts WHERE name = ?1");
  row.bind(1, name);
  if (!row.step()) return std::nullopt;
  return std::string(row.text(0));
}

void Catalog::each_fact(std::string_view prefix,
                        const std::function<void(std::string_view, std::string_view)>& visit) const {
  Statement row(*impl_->database,
                "SELECT substr(name, length(?1) + 1), value FROM facts WHERE substr(name, 1, length(?1)) = ?1 ORDER BY name");
  row.bind(1, prefix);
  while (row.step()) visit(row.text(0), row.text(1));
}

}  // namespace mustcite::store
