#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace mustcite::net {

/// A page as it was fetched: what makes a crawl resumable and replayable without the network.
struct CachedPage {
  std::string url;        ///< as asked for
  std::string final_url;  ///< after redirects
  std::string type;       ///< Content-Type
  std::string etag;
  std::string modified;    ///< Last-Modified
  std::string fetched_at;  ///< UTC, ISO 8601
  std::string body;
};

/// One file a page below a folder: `<host>/<2 hex>/<digest>.page`, a line of JSON and the zstd frame of the
/// body. Files appear by a rename, and a damaged one counts as absent. Thread-safe.
class PageCache {
 public:
  explicit PageCache(std::filesystem::path folder, std::uint64_t max_bytes = std::uint64_t{256} << 20);

  /// `key` is the address, with the body of a POST after a blank.
  [[nodiscard]] std::optional<CachedPage> find(const std::string& key) const;
  void put(const std::string& key, const CachedPage& page);
  void forget(const std::string& key);

 private:
  [[nodiscard]] std::filesystem::path file_of(const std::string& key) const;

  std::filesystem::path folder_;
  std::uint64_t max_bytes_;
};

}  // namespace mustcite::net
