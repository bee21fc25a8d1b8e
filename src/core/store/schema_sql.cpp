#include "core/store/schema_sql.hpp"

#include <array>

#include "core/base/error.hpp"

namespace mustcite::store {
namespace {

// A new catalog is made by running all of these, an older one by running the rest of them. An entry is never
// edited after it was released: append a new one. docs/formats/catalog.md describes the result.
constexpr std::array<const char*, 3> kMigrations{
    // 1: the tables.
    R"sql(
CREATE TABLE papers (
  row INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  digest INTEGER NOT NULL,
  title TEXT NOT NULL,
  title_key TEXT NOT NULL,
  authors TEXT NOT NULL,
  venue TEXT NOT NULL,
  year INTEGER NOT NULL,
  month INTEGER NOT NULL,
  day INTEGER NOT NULL,
  track TEXT NOT NULL,
  url TEXT NOT NULL,
  doi TEXT NOT NULL,
  arxiv_id TEXT NOT NULL,
  abstract BLOB NOT NULL
);
CREATE INDEX papers_by_title ON papers (title_key) WHERE title_key <> '';

CREATE TABLE citations (
  row INTEGER PRIMARY KEY,
  citing TEXT NOT NULL,
  cited TEXT NOT NULL,
  digest INTEGER NOT NULL,
  citing_year INTEGER NOT NULL,
  mentions INTEGER,
  exp_mentions INTEGER,
  marker TEXT NOT NULL,
  context_count INTEGER NOT NULL,
  contexts BLOB NOT NULL,
  UNIQUE (citing, cited)
);

CREATE TABLE labels (
  citing TEXT NOT NULL,
  cited TEXT NOT NULL,
  tier TEXT NOT NULL,
  judge TEXT NOT NULL,
  definition TEXT NOT NULL,
  value INTEGER NOT NULL,
  year INTEGER NOT NULL,
  month INTEGER NOT NULL,
  day INTEGER NOT NULL,
  PRIMARY KEY (citing, cited, tier, judge, definition)
) WITHOUT ROWID;

CREATE TABLE rejects (
  row INTEGER PRIMARY KEY,
  source TEXT NOT NULL,
  line INTEGER NOT NULL,
  reason TEXT NOT NULL,
  item TEXT NOT NULL,
  UNIQUE (source, line, reason, item)
);

CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE state (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  papers INTEGER NOT NULL,
  papers_with_abstract INTEGER NOT NULL,
  citations INTEGER NOT NULL,
  contexts INTEGER NOT NULL,
  labels INTEGER NOT NULL,
  rejects INTEGER NOT NULL,
  digest INTEGER NOT NULL
);
INSERT INTO state VALUES (1, 0, 0, 0, 0, 0, 0, 0);
)sql",
    // 2: who cites this paper?
    "CREATE INDEX citations_by_cited ON citations (cited);",
    // 3: a label says which model gave it, how sure it was and in which words.
    R"sql(
CREATE TABLE labels_with_provenance (
  citing TEXT NOT NULL,
  cited TEXT NOT NULL,
  tier TEXT NOT NULL,
  judge TEXT NOT NULL,
  model TEXT NOT NULL,
  definition TEXT NOT NULL,
  value INTEGER NOT NULL,
  probability REAL,
  reply TEXT NOT NULL,
  year INTEGER NOT NULL,
  month INTEGER NOT NULL,
  day INTEGER NOT NULL,
  PRIMARY KEY (citing, cited, tier, judge, model, definition)
) WITHOUT ROWID;
INSERT INTO labels_with_provenance
  SELECT citing, cited, tier, judge, '', definition, value, NULL, '', year, month, day FROM labels;
DROP TABLE labels;
ALTER TABLE labels_with_provenance RENAME TO labels;
)sql",
};

}  // namespace

int current_schema_version() noexcept {
  return static_cast<int>(kMigrations.size());
}

SchemaState inspect_schema(Database& database) {
  const auto application = database.integer("PRAGMA application_id");
  const auto version = database.integer("PRAGMA user_version");
  if (application != kApplicationId) {
    const bool is_empty =
        application == 0 && version == 0 && database.integer("SELECT count(*) FROM sqlite_schema") == 0;
    if (is_empty) return SchemaState::empty;
    fail(ErrorCode::corrupt,
         "{} is the database of another program, not a mustcite catalog; choose another workspace",
         database.file().string());
  }
  if (version < 1 || version > current_schema_version()) {
    fail(ErrorCode::corrupt,
         "{} has catalog version {}, this program knows versions 1 to {}; install the newer "
         "mustcite that wrote it",
         database.file().string(), version, current_schema_version());
  }
  return version == current_schema_version() ? SchemaState::current : SchemaState::older;
}

void migrate(Database& database) {
  database.run("BEGIN IMMEDIATE");
  try {
    // Another process may have migrated while this one waited for the lock.
    const auto from = static_cast<std::size_t>(database.integer("PRAGMA user_version"));
    for (std::size_t step = from; step < kMigrations.size(); ++step) database.run(kMigrations[step]);
    database.run(fmt::format("PRAGMA application_id = {}", kApplicationId).c_str());
    database.run(fmt::format("PRAGMA user_version = {}", current_schema_version()).c_str());
    database.run("COMMIT");
  } catch (...) {
    if (database.in_transaction()) database.run("ROLLBACK");
    throw;
  }
}

}  // namespace mustcite::store
