#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace mustcite::annotate {

/// A reply that was paid for.
struct CachedReply {
  std::string text;
  std::uint64_t tokens_in = 0;
  std::uint64_t tokens_out = 0;
  double cost = 0;  ///< in the currency of the prices; 0 where they were unknown
};

/// Replies by judge, model, prompt and input, in one SQLite file: a rerun costs nothing. Replies are written
/// by `put` and are safe on disk after `commit`. One process at a time. Not thread-safe.
class ReplyCache {
 public:
  explicit ReplyCache(const std::filesystem::path& file);
  ~ReplyCache();

  /// The key of a request: a digest of everything that the reply depends on.
  [[nodiscard]] static std::string key(std::string_view judge, std::string_view model,
                                       std::string_view prompt_digest, std::string_view input);

  [[nodiscard]] std::optional<CachedReply> find(const std::string& key);
  void put(const std::string& key, std::string_view judge, std::string_view model, const CachedReply& reply);
  void commit();
  [[nodiscard]] std::uint64_t size();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mustcite::annotate
