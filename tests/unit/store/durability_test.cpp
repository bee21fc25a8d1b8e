// What the catalog keeps through kills, full disks, closed folders, second writers, damage and older
// versions.

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <random>

#include "core/base/error.hpp"
#include "core/io/file.hpp"
#include "core/store/catalog.hpp"
#include "core/store/schema_sql.hpp"
#include "core/store/sqlite.hpp"
#include "testing/child.hpp"
#include "testing/error_code.hpp"
#include "testing/temp_folder.hpp"
#include "unit/store/records.hpp"

namespace mustcite::store {
namespace {

namespace fs = std::filesystem;
using testing::code_of;
using testing::in_child;
using testing::numbered_citation;
using testing::numbered_paper;
using testing::refusal;
using testing::TempFolder;
using Mode = Catalog::Mode;

constexpr int kBatch = 50;

/// Writes paper and citation `from`, `from + 1`, … in batches, telling the pipe after each commit; never
/// returns.
[[noreturn]] void import_forever(const fs::path& file, int from, int pipe) {
  Catalog catalog(file, Mode::create);
  for (int next = from;; next += kBatch) {
    Catalog::Batch batch(catalog);
    for (int i = next; i < next + kBatch; ++i) {
      catalog.put(numbered_paper(i));
      catalog.put(numbered_citation(i));
      if (i % 10 == 0) catalog.reject({"numbers", static_cast<std::uint64_t>(i), "x", "divisible by ten"});
    }
    batch.commit();
    const int done = next + kBatch;
    if (::write(pipe, &done, sizeof(done)) != sizeof(done)) ::_exit(1);
  }
}

void expect_exactly(const fs::path& file, int papers) {
  Database database(file, Database::Access::write);
  Statement check(database, "PRAGMA integrity_check");
  ASSERT_TRUE(check.step());
  EXPECT_EQ(check.text(0), "ok");
  check.reset();
  const Catalog catalog(file, Mode::read_only);
  const auto counts = catalog.counts();
  EXPECT_EQ(counts.papers, static_cast<std::uint64_t>(papers));
  EXPECT_EQ(counts.citations, static_cast<std::uint64_t>(papers));
  EXPECT_EQ(counts.rejects, static_cast<std::uint64_t>(papers / 10));
  std::uint64_t seen = 0;
  catalog.each_paper([&](const Paper& paper) {
    const int n = std::stoi(paper.id.str().substr(1));
    ASSERT_LT(n, papers);
    ASSERT_EQ(paper, numbered_paper(n));
    ++seen;
  });
  EXPECT_EQ(seen, counts.papers);
  std::uint64_t with_abstract = 0;
  for (int i = 0; i < papers; ++i) with_abstract += numbered_paper(i).abstract.empty() ? 0 : 1;
  EXPECT_EQ(counts.papers_with_abstract, with_abstract);
  // The revision is that of a catalog which was never killed.
  const TempFolder scratch;
  Catalog calm(scratch / "calm.sqlite", Mode::create);
  Catalog::Batch batch(calm);
  for (int i = 0; i < papers; ++i) {
    calm.put(numbered_paper(i));
    calm.put(numbered_citation(i));
  }
  batch.commit();
  EXPECT_EQ(catalog.revision(), calm.revision());
}

TEST(CatalogKill, TwentyKillsAtRandomMomentsLoseNothingThatWasCommitted) {
  const TempFolder scratch;
  const auto file = scratch / "catalog.sqlite";
  std::mt19937 random(20);  // NOLINT: the moments differ anyway
  int committed = 0;
  for (int kill = 0; kill < 20; ++kill) {
    int pipe[2];
    ASSERT_EQ(::pipe(pipe), 0);
    const pid_t child = testing::start_child([&]() -> int { import_forever(file, committed, pipe[1]); });
    ::close(pipe[1]);
    // Some commits, then a moment within the next batch.
    const auto wanted = std::uniform_int_distribution<int>(0, 3)(random);
    int told = committed;
    for (int i = 0; i < wanted; ++i)
      ASSERT_EQ(::read(pipe[0], &told, sizeof(told)), static_cast<ssize_t>(sizeof(told)));
    for (volatile int spin = std::uniform_int_distribution<int>(0, 3000000)(random); spin > 0;)
      spin = spin - 1;
    ::kill(child, SIGKILL);
    ASSERT_EQ(testing::status_of(child), 128 + SIGKILL);
    while (::read(pipe[0], &told, sizeof(told)) == static_cast<ssize_t>(sizeof(told))) {
    }
    ::close(pipe[0]);
    const Catalog after(file, Mode::create);
    const auto found = static_cast<int>(after.counts().papers);
    // A batch may be committed and its writer killed before telling; never the other way round, never a part.
    EXPECT_TRUE(found == told || found == told + kBatch) << found << " " << told;
    committed = found;
  }
  expect_exactly(file, committed);
}

TEST(CatalogKill, AnEmptyFileLeftByAKillIsTakenAsNew) {
  const TempFolder scratch;
  const auto file = scratch / "catalog.sqlite";
  std::ofstream{file};
  EXPECT_EQ(code_of([&] { const Catalog catalog(file, Mode::read_only); }), ErrorCode::not_found);
  Catalog catalog(file, Mode::create);
  EXPECT_EQ(catalog.put(numbered_paper(1)), Outcome::added);
}

TEST(CatalogFullDisk, IsReportedAndKeepsWhatWasCommitted) {
  const TempFolder scratch;
  const auto file = scratch / "catalog.sqlite";
  EXPECT_EQ(in_child([&] {
              testing::limit_file_size(600000);
              int sink[2];
              if (::pipe(sink) != 0) return 1;
              import_forever(file, 0, sink[1]);
            }),
            refusal(ErrorCode::exhausted));
  const int committed = [&] {
    const Catalog catalog(file, Mode::create);
    return static_cast<int>(catalog.counts().papers);
  }();
  EXPECT_GT(committed, 0);
  EXPECT_EQ(committed % kBatch, 0);
  expect_exactly(file, committed);
}

TEST(CatalogFullDisk, AFailedBatchIsUndoneAndTheCatalogStaysUsable) {
  const TempFolder scratch;
  EXPECT_EQ(in_child([&] {
              Catalog catalog(scratch / "catalog.sqlite", Mode::create);
              catalog.put(numbered_paper(1));
              const auto revision = catalog.revision();
              // The size of a file may not grow any more: the batch cannot be written.
              testing::limit_file_size(1);
              const auto refused = code_of([&] {
                Catalog::Batch batch(catalog);
                for (int i = 2; i < 2000; ++i) catalog.put(numbered_paper(i));
                batch.commit();
              });
              if (refused != ErrorCode::exhausted) return 1;
              return catalog.revision() == revision && catalog.counts().papers == 1 ? 0 : 2;
            }),
            0);
}

TEST(CatalogReadOnly, IsReadableInAFolderThatCannotBeWritten) {
  const TempFolder scratch;
  const auto folder = scratch / "closed";
  fs::create_directory(folder);
  const auto file = folder / "catalog.sqlite";
  { Catalog(file, Mode::create).put(numbered_paper(1)); }
  ::chmod(scratch.path().c_str(), 0755);
  ::chmod(file.c_str(), 0444);
  ::chmod(folder.c_str(), 0555);
  EXPECT_EQ(in_child([&] {
              testing::become_nobody();
              const Catalog catalog(file, Mode::read_only);
              return catalog.paper(PaperId("n1")) == numbered_paper(1) ? 0 : 1;
            }),
            0);
  for (const auto mode : {Mode::read_write, Mode::create}) {
    EXPECT_EQ(in_child([&] {
                testing::become_nobody();
                const Catalog catalog(file, mode);
                return 0;
              }),
              refusal(ErrorCode::unavailable));
  }
  EXPECT_EQ(in_child([&] {
              testing::become_nobody();
              const Catalog catalog(folder / "new.sqlite", Mode::create);
              return 0;
            }),
            refusal(ErrorCode::unavailable));
  ::chmod(folder.c_str(), 0755);
}

TEST(CatalogWriters, ASecondOneIsRefusedAndReadersAreNot) {
  const TempFolder scratch;
  const auto file = scratch / "catalog.sqlite";
  Catalog first(file, Mode::create);
  EXPECT_EQ(in_child([&] {
              const Catalog second(file, Mode::read_write);
              return 0;
            }),
            // A forked child shares the lock's file description with its parent, but opens its own here.
            refusal(ErrorCode::unavailable));
  Catalog::Batch batch(first);
  first.put(numbered_paper(1));
  const Catalog reader(file, Mode::read_only);
  EXPECT_EQ(reader.counts().papers, 0U) << "nothing is seen before the commit";
  batch.commit();
  EXPECT_EQ(reader.counts().papers, 1U);
}

TEST(CatalogWriters, AReadingSeesOneStateWhileAWriterCommits) {
  const TempFolder scratch;
  const auto file = scratch / "catalog.sqlite";
  Catalog writer(file, Mode::create);
  writer.put(numbered_paper(1));
  const Catalog reader(file, Mode::read_only);
  {
    const Catalog::Reading reading(reader);
    const auto before = reader.revision();
    writer.put(numbered_paper(2));
    EXPECT_EQ(reader.revision(), before);
    EXPECT_EQ(reader.counts().papers, 1U);
    EXPECT_EQ(reader.paper(PaperId("n2")), std::nullopt);
  }
  EXPECT_EQ(reader.revision(), writer.revision());
}

TEST(CatalogWriters, AWriterOutsideTheProgramIsReportedAsALock) {
  const TempFolder scratch;
  const auto file = scratch / "catalog.sqlite";
  { const Catalog made(file, Mode::create); }
  Database other(file, Database::Access::write);
  other.run("BEGIN IMMEDIATE");
  Database ours(file, Database::Access::write);
  ours.run("PRAGMA busy_timeout = 1");
  EXPECT_EQ(code_of([&] { ours.run("BEGIN IMMEDIATE"); }), ErrorCode::unavailable);
  other.run("ROLLBACK");
  EXPECT_EQ(code_of([&] { ours.run("BEGIN IMMEDIATE"); }), std::nullopt);
}

TEST(CatalogDamage, IsReportedAsCorrupt) {
  const TempFolder scratch;
  const auto file = scratch / "catalog.sqlite";
  std::ofstream(file) << std::string(20000, 'x');
  for (const auto mode : {Mode::read_only, Mode::read_write, Mode::create}) {
    EXPECT_EQ(code_of([&] { const Catalog catalog(file, mode); }), ErrorCode::corrupt);
  }
}

TEST(CatalogDamage, InThePagesIsMetWhileReading) {
  const TempFolder scratch;
  const auto file = scratch / "catalog.sqlite";
  {
    Catalog catalog(file, Mode::create);
    Catalog::Batch batch(catalog);
    for (int i = 0; i < 2000; ++i) catalog.put(numbered_paper(i));
    batch.commit();
  }
  std::string bytes = io::read_file(file);
  for (std::size_t at = bytes.size() / 2; at < bytes.size(); ++at) bytes[at] = static_cast<char>(at * 31);
  std::ofstream(file, std::ios::binary) << bytes;
  EXPECT_EQ(code_of([&] {
              const Catalog catalog(file, Mode::read_only);
              catalog.each_paper([](const Paper&) {});
            }),
            ErrorCode::corrupt);
}

TEST(CatalogSchema, ADatabaseOfAnotherProgramIsRefused) {
  const TempFolder scratch;
  const auto file = scratch / "catalog.sqlite";
  Database(file, Database::Access::create).run("CREATE TABLE theirs (x)");
  EXPECT_EQ(code_of([&] { const Catalog catalog(file, Mode::create); }), ErrorCode::corrupt);
  Database again(file, Database::Access::read);
  EXPECT_EQ(again.integer("SELECT count(*) FROM sqlite_schema"), 1) << "and left as it is";
}

TEST(CatalogSchema, ANewerVersionIsRefusedNamingIt) {
  const TempFolder scratch;
  const auto file = scratch / "catalog.sqlite";
  { const Catalog catalog(file, Mode::create); }
  Database(file, Database::Access::write).run("PRAGMA user_version = 99");
  for (const auto mode : {Mode::read_only, Mode::create}) {
    try {
      const Catalog catalog(file, mode);
      ADD_FAILURE() << "opened a newer catalog";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::corrupt);
      EXPECT_NE(std::string(error.what()).find("version 99"), std::string::npos) << error.what();
    }
  }
}

TEST(CatalogSchema, AnOlderVersionIsMigratedWhenWritableAndKeepsItsRecords) {
  const TempFolder scratch;
  const auto file = scratch / "catalog.sqlite";
  { Catalog(file, Mode::create).put(numbered_citation(4)); }
  // Version 1 had no index by the cited paper.
  Database(file, Database::Access::write).run("DROP INDEX citations_by_cited; PRAGMA user_version = 1");
  EXPECT_EQ(code_of([&] { const Catalog catalog(file, Mode::read_only); }), ErrorCode::unavailable);
  {
    Catalog catalog(file, Mode::read_write);
    EXPECT_EQ(catalog.put(numbered_citation(4)), Outcome::unchanged);
  }
  Database migrated(file, Database::Access::read);
  EXPECT_EQ(migrated.integer("PRAGMA user_version"), current_schema_version());
  EXPECT_EQ(migrated.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'citations_by_cited'"), 1);
  EXPECT_EQ(Catalog(file, Mode::read_only).counts().citations, 1U);
}

TEST(CatalogSchema, LabelsWithoutProvenanceSurviveItsMigration) {
  const TempFolder scratch;
  const auto file = scratch / "catalog.sqlite";
  const Label label{PaperId("a"), PaperId("b"), Tier::type2, 4, "judge", "v1", {2024, 5, 1}};
  std::string revision;
  {
    Catalog catalog(file, Mode::create);
    catalog.put(label);
    revision = catalog.revision();
  }
  // The labels of version 2 had neither model, probability nor reply.
  Database(file, Database::Access::write)
      .run("CREATE TABLE old AS SELECT citing, cited, tier, judge, definition, value, year, month, day FROM"
           " labels; DROP TABLE labels; ALTER TABLE old RENAME TO labels; PRAGMA user_version = 2");
  Catalog catalog(file, Mode::read_write);
  EXPECT_EQ(catalog.put(label), Outcome::unchanged);
  EXPECT_EQ(catalog.revision(), revision);
}

}  // namespace
}  // namespace mustcite::store
