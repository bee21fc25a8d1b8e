#include "core/store/sqlite.hpp"

#include <sqlite3.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "core/base/error.hpp"

namespace mustcite::store {
namespace {

constexpr int kBusyTimeoutMs = 5000;

/// SQLite takes an address as a URI only with these characters escaped.
std::string immutable_uri(const std::filesystem::path& file) {
  std::string uri = "file:";
  for (const char c : std::filesystem::absolute(file).string()) {
    if (c == '%' || c == '?' || c == '#') {
      uri += fmt::format("%{:02x}", static_cast<unsigned char>(c));
    } else {
      uri += c;
    }
  }
  return uri + "?immutable=1";
}

/// The last system error on the database file or its journal. SQLite's own record of it
/// (sqlite3_system_errno) is overwritten by the calls with which it cleans up.
int last_errno(sqlite3* handle) {
  int error = 0;
  sqlite3_file* journal = nullptr;
  if (sqlite3_file_control(handle, "main", SQLITE_FCNTL_JOURNAL_POINTER, &journal) == SQLITE_OK &&
      journal != nullptr && journal->pMethods != nullptr) {
    journal->pMethods->xFileControl(journal, SQLITE_FCNTL_LAST_ERRNO, &error);
  }
  if (error == 0) sqlite3_file_control(handle, "main", SQLITE_FCNTL_LAST_ERRNO, &error);
  return error != 0 ? error : sqlite3_system_errno(handle);
}

bool no_room(int system_error) {
  return system_error == ENOSPC || system_error == EDQUOT || system_error == EFBIG;
}

}  // namespace

Database::Database(std::filesystem::path file, Access access) : file_(std::move(file)) {
  int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  std::string name = file_.string();
  switch (access) {
    case Access::read:
      flags |= SQLITE_OPEN_READONLY;
      break;
    case Access::read_immutable:
      flags |= SQLITE_OPEN_READONLY | SQLITE_OPEN_URI;
      name = immutable_uri(file_);
      break;
    case Access::write:
      flags |= SQLITE_OPEN_READWRITE;
      break;
    case Access::create:
      flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
      break;
  }
  const int code = sqlite3_open_v2(name.c_str(), &handle_, flags, nullptr);
  if (code != SQLITE_OK) {
    try {
      fail_with(code, "open the catalog");
    } catch (...) {
      sqlite3_close(std::exchange(handle_, nullptr));
      throw;
    }
  }
  sqlite3_busy_timeout(handle_, kBusyTimeoutMs);
}

Database::~Database() {
  sqlite3_close(handle_);
}

void Database::run(const char* sql) {
  const int code = sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail_with(code, "use the catalog");
}

std::int64_t Database::integer(const char* sql) {
  Statement statement(*this, sql);
  return statement.step() ? statement.integer(0) : 0;
}

bool Database::in_transaction() const noexcept {
  return sqlite3_get_autocommit(handle_) == 0;
}

std::int64_t Database::changes() const noexcept {
  return sqlite3_changes64(handle_);
}

void Database::fail_with(int code, std::string_view doing) const {
  const std::string name = file_.string();
  const std::string said = handle_ != nullptr ? sqlite3_errmsg(handle_) : sqlite3_errstr(code);
  const int system_error = handle_ != nullptr ? last_errno(handle_) : 0;
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      fail(ErrorCode::unavailable,
           "cannot {}: {} is locked by another program; wait for it to finish, then try again", doing, name);
    case SQLITE_READONLY:
      fail(ErrorCode::unavailable,
           "cannot {}: {} cannot be written ({}); check the permissions of its folder", doing, name, said);
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      fail(ErrorCode::unavailable,
           "cannot {}: {} or a file beside it cannot be opened ({}); check the folder's "
           "permissions",
           doing, name, system_error != 0 ? std::strerror(system_error) : said.c_str());
    case SQLITE_FULL:
      fail(ErrorCode::exhausted,
           "cannot {}: no room left for {}; free some space and run the command again (what was "
           "committed is kept)",
           doing, name);
    case SQLITE_NOMEM:
      fail(ErrorCode::exhausted, "cannot {}: out of memory while using {}", doing, name);
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_FORMAT:
      fail(ErrorCode::corrupt,
           "cannot {}: {} is damaged or no catalog ({}); restore it from a pack or a copy", doing, name,
           said);
    case SQLITE_IOERR:
      if (no_room(system_error)) {
        fail(ErrorCode::exhausted,
             "cannot {}: no room left for {} ({}); free some space and run the command again "
             "(what was committed is kept)",
             doing, name, std::strerror(system_error));
      }
      fail(ErrorCode::unavailable, "cannot {}: reading or writing {} failed ({}, {}); check the disk", doing,
           name, said, system_error != 0 ? std::strerror(system_error) : "no system error");
    case SQLITE_TOOBIG:
      fail(ErrorCode::invalid_input, "cannot {}: a text is too large for {}", doing, name);
    default:
      break;
  }
  fail(ErrorCode::internal, "cannot {} with {}: {}", doing, name, said);
}

Statement::Statement(Database& database, const char* sql) : database_(database) {
  const int code =
      sqlite3_prepare_v3(database.handle_, sql, -1, SQLITE_PREPARE_PERSISTENT, &handle_, nullptr);
  if (code != SQLITE_OK) database.fail_with(code, "use the catalog");
}

Statement::~Statement() {
  sqlite3_finalize(handle_);
}

Statement& Statement::bind(int position, std::string_view text) {
  const char* data = text.data() != nullptr ? text.data() : "";
  const int code = sqlite3_bind_text64(handle_, position, data, text.size(), SQLITE_STATIC, SQLITE_UTF8);
  if (code != SQLITE_OK) database_.fail_with(code, "use the catalog");
  return *this;
}

Statement& Statement::bind(int position, std::int64_t value) {
  const int code = sqlite3_bind_int64(handle_, position, value);
  if (code != SQLITE_OK) database_.fail_with(code, "use the catalog");
  return *this;
}

Statement& Statement::bind(int position, std::optional<int> value) {
  return value ? bind(position, std::int64_t{*value}) : bind_null(position);
}

Statement& Statement::bind_blob(int position, std::string_view bytes) {
  const char* data = bytes.data() != nullptr ? bytes.data() : "";
  const int code = sqlite3_bind_blob64(handle_, position, data, bytes.size(), SQLITE_STATIC);
  if (code != SQLITE_OK) database_.fail_with(code, "use the catalog");
  return *this;
}

Statement& Statement::bind_null(int position) {
  const int code = sqlite3_bind_null(handle_, position);
  if (code != SQLITE_OK) database_.fail_with(code, "use the catalog");
  return *this;
}

Statement& Statement::bind_real(int position, std::optional<double> value) {
  if (!value) return bind_null(position);
  const int code = sqlite3_bind_double(handle_, position, *value);
  if (code != SQLITE_OK) database_.fail_with(code, "use the catalog");
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(handle_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  const bool reads = sqlite3_stmt_readonly(handle_) != 0;
  try {
    database_.fail_with(code, reads ? "read the catalog" : "write to the catalog");
  } catch (...) {
    reset();
    throw;
  }
}

void Statement::execute() {
  const ResetGuard guard(*this);
  while (step()) {
  }
}

void Statement::reset() noexcept {
  sqlite3_reset(handle_);
}

std::string_view Statement::text(int column) const {
  // The pointer must be asked for before the size: asking converts the value.
  const auto* data = static_cast<const char*>(sqlite3_column_blob(handle_, column));
  const int size = sqlite3_column_bytes(handle_, column);
  return data == nullptr ? std::string_view{} : std::string_view{data, static_cast<std::size_t>(size)};
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(handle_, column);
}

std::optional<int> Statement::maybe(int column) const {
  if (sqlite3_column_type(handle_, column) == SQLITE_NULL) return std::nullopt;
  return sqlite3_column_int(handle_, column);
}

std::optional<double> Statement::maybe_real(int column) const {
  if (sqlite3_column_type(handle_, column) == SQLITE_NULL) return std::nullopt;
  return sqlite3_column_double(handle_, column);
}

bool Statement::is_blob(int column) const {
  return sqlite3_column_type(handle_, column) == SQLITE_BLOB;
}

}  // namespace mustcite::store
