#include "stages/annotate/reply_cache.hpp"

#include "core/base/error.hpp"
#include "core/base/hash.hpp"
#include "core/io/file.hpp"
#include "core/store/sqlite.hpp"

namespace mustcite::annotate {
namespace {

constexpr std::int64_t kApplicationId = 0x4D435250;  // "MCRP"

}  // namespace

struct ReplyCache::Impl {
  explicit Impl(const std::filesystem::path& file)
      : lock(file.string() + ".lock"), database(file, store::Database::Access::create) {
    const auto application = database.integer("PRAGMA application_id");
    if (application != kApplicationId && database.integer("SELECT count(*) FROM sqlite_schema") != 0)
      fail(ErrorCode::corrupt, "{} is the database of another program, not a cache of replies",
           file.string());
    database.run(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
        "CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, judge TEXT NOT NULL, model TEXT NOT NULL,"
        " reply TEXT NOT NULL, tokens_in INTEGER NOT NULL, tokens_out INTEGER NOT NULL, cost REAL NOT NULL)"
        " WITHOUT ROWID;");
    database.run("PRAGMA application_id = 1296257616");
    find = std::make_unique<store::Statement>(
        database, "SELECT reply, tokens_in, tokens_out, cost FROM replies WHERE key = ?1");
    put = std::make_unique<store::Statement>(
        database,
        "INSERT OR REPLACE INTO replies (key, judge, model, reply, tokens_in, tokens_out, cost)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)");
  }

  io::FileLock lock;
  store::Database database;
  std::unique_ptr<store::Statement> find;
  std::unique_ptr<store::Statement> put;
  bool open = false;
};

ReplyCache::ReplyCache(const std::filesystem::path& file) : impl_(std::make_unique<Impl>(file)) {}

ReplyCache::~ReplyCache() {
  try {
    commit();
  } catch (const Error&) {
    // A destructor cannot report; what was not committed is asked again.
    impl_->open = false;
  }
}

std::string ReplyCache::key(std::string_view judge, std::string_view model, std::string_view prompt_digest,
                            std::string_view input) {
  Sha256 digest;
  for (const std::string_view part : {judge, model, prompt_digest, input}) {
    digest.update(std::to_string(part.size()) + ":");
    digest.update(part);
  }
  return digest.hex();
}

std::optional<CachedReply> ReplyCache::find(const std::string& key) {
  auto& row = *impl_->find;
  const store::ResetGuard guard(row);
  row.bind(1, key);
  if (!row.step()) return std::nullopt;
  return CachedReply{std::string(row.text(0)), static_cast<std::uint64_t>(row.integer(1)),
                     static_cast<std::uint64_t>(row.integer(2)), row.maybe_real(3).value_or(0)};
}

void ReplyCache::put(const std::string& key, std::string_view judge, std::string_view model,
                     const CachedReply& reply) {
  if (!impl_->open) impl_->database.run("BEGIN IMMEDIATE");
  impl_->open = true;
  auto& put = *impl_->put;
  put.bind(1, key).bind(2, judge).bind(3, model).bind(4, reply.text);
  put.bind(5, static_cast<std::int64_t>(reply.tokens_in))
      .bind(6, static_cast<std::int64_t>(reply.tokens_out));
  put.bind_real(7, reply.cost);
  put.execute();
}

void ReplyCache::commit() {
  if (!impl_->open) return;
  impl_->database.run("COMMIT");
  impl_->open = false;
}

std::uint64_t ReplyCache::size() {
  return static_cast<std::uint64_t>(impl_->database.integer("SELECT count(*) FROM replies"));
}

}  // namespace mustcite::annotate
