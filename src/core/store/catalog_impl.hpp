#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>

#include "core/base/error.hpp"
#include "core/io/file.hpp"
#include "core/store/catalog.hpp"
#include "core/store/sqlite.hpp"
#include "core/store/text_codec.hpp"

namespace mustcite::store {

/// Running totals of a catalog, kept in its one-row `state` table and written with every commit.
struct CatalogState {
  std::int64_t papers = 0;
  std::int64_t papers_with_abstract = 0;
  std::int64_t citations = 0;
  std::int64_t contexts = 0;
  std::int64_t labels = 0;
  std::int64_t rejects = 0;
  std::uint64_t digest = 0;  ///< sum of all record digests

  void replace(std::uint64_t old_digest, std::uint64_t new_digest) noexcept {
    digest += new_digest - old_digest;
  }
};

/// The statements that write, prepared when the catalog is first written to.
struct WriteStatements {
  explicit WriteStatements(Database& database);
  Statement find_paper;
  Statement insert_paper;
  Statement update_paper;
  Statement find_citation;
  Statement insert_citation;
  Statement update_citation;
  Statement find_label;
  Statement put_label;
  Statement insert_reject;
  Statement put_fact;
  Statement put_state;
};

struct Catalog::Impl {
  Impl(const std::filesystem::path& file, Mode mode);

  /// Starts a transaction and reads the totals it begins with.
  void begin();
  void commit();
  void roll_back() noexcept;
  /// Runs `write` inside the open batch, or in a transaction of its own.
  template <typename Write>
  auto atomically(const Write& write);
  [[nodiscard]] WriteStatements& writing();
  [[nodiscard]] CatalogState read_state() const;

  std::unique_ptr<io::FileLock> lock;  ///< held by the one writer
  std::unique_ptr<Database> database;
  std::unique_ptr<WriteStatements> write_statements;
  std::unique_ptr<Statement> paper_by_id;
  std::unique_ptr<Statement> papers_by_title;
  CatalogState state;  ///< of the open transaction
  bool writes_open = false;
  mutable TextCodec codec;
};

template <typename Write>
auto Catalog::Impl::atomically(const Write& write) {
  if (writes_open) return write();
  if (database->in_transaction())
    fail(ErrorCode::internal, "the catalog cannot be written while a reading is open");
  static_cast<void>(writing());  // refuses a catalog that is open for reading only
  // Rolls back on every way out but the last.
  struct Undo {
    Impl& impl;
    ~Undo() { impl.roll_back(); }
  };
  begin();
  const Undo undo{*this};
  if constexpr (std::is_void_v<decltype(write())>) {
    write();
    commit();
  } else {
    const auto result = write();
    commit();
    return result;
  }
}

/// The columns of a paper in the order that `read_paper` expects, starting with `id`.
inline constexpr const char* kPaperColumns =
    "id, title, authors, venue, year, month, day, track, url, doi, arxiv_id, abstract";
/// The same for `read_citation`.
inline constexpr const char* kCitationColumns =
    "citing, cited, citing_year, mentions, exp_mentions, marker, contexts";

/// Reads the row a statement stands on; its columns start at `first`.
[[nodiscard]] Paper read_paper(const Statement& row, int first, TextCodec& codec);
[[nodiscard]] Citation read_citation(const Statement& row, int first, TextCodec& codec);

}  // namespace mustcite::store
