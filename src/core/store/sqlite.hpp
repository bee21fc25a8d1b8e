#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace mustcite::store {

class Statement;

/// One SQLite connection. Every failure becomes an Error that names the file. Not thread-safe.
class Database {
 public:
  enum class Access {
    read,            ///< an existing file, never changed
    read_immutable,  ///< the same on a medium that nobody can write: no lock and no shared memory is needed
    write,           ///< an existing file
    create           ///< made when missing
  };

  Database(std::filesystem::path file, Access access);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// Runs statements that return nothing of interest.
  void run(const char* sql);
  /// The first column of the first row of `sql` (a pragma, a count).
  [[nodiscard]] std::int64_t integer(const char* sql);
  /// True while a transaction is open.
  [[nodiscard]] bool in_transaction() const noexcept;
  /// Rows changed by the last statement.
  [[nodiscard]] std::int64_t changes() const noexcept;
  [[nodiscard]] const std::filesystem::path& file() const noexcept { return file_; }

  /// Throws the Error that belongs to a SQLite result code.
  [[noreturn]] void fail_with(int code, std::string_view doing) const;

 private:
  friend class Statement;
  std::filesystem::path file_;
  sqlite3* handle_ = nullptr;
};

/// A prepared statement, kept open and used again. Text handed to `bind` must live until the statement is
/// reset.
class Statement {
 public:
  Statement(Database& database, const char* sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  /// Positions count from 1. An empty text is stored as '' (never NULL).
  Statement& bind(int position, std::string_view text);
  Statement& bind(int position, std::int64_t value);
  Statement& bind(int position, std::optional<int> value);
  Statement& bind_blob(int position, std::string_view bytes);
  Statement& bind_null(int position);
  Statement& bind_real(int position, std::optional<double> value);

  /// True when a row is there to be read.
  bool step();
  /// Runs to the end and resets: for statements without rows.
  void execute();
  void reset() noexcept;

  /// Columns count from 0; texts are valid until the next step or reset.
  [[nodiscard]] std::string_view text(int column) const;
  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] std::optional<int> maybe(int column) const;
  [[nodiscard]] std::optional<double> maybe_real(int column) const;
  [[nodiscard]] bool is_blob(int column) const;

 private:
  Database& database_;
  sqlite3_stmt* handle_ = nullptr;
};

/// Resets a statement on every way out of a block, so that no read lock outlives it.
class ResetGuard {
 public:
  explicit ResetGuard(Statement& statement) : statement_(statement) {}
  ~ResetGuard() { statement_.reset(); }
  ResetGuard(const ResetGuard&) = delete;
  ResetGuard& operator=(const ResetGuard&) = delete;

 private:
  Statement& statement_;
};

}  // namespace mustcite::store
