#include "core/net/page_cache.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <zstd.h>

#include <atomic>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/base/error.hpp"
#include "core/base/hash.hpp"
#include "core/net/url.hpp"

namespace mustcite::net {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::string checksum(std::string_view text) {
  return fmt::format("{:016x}", checksum64({reinterpret_cast<const std::byte*>(text.data()), text.size()}));
}

std::string compress(std::string_view body) {
  std::string frame(ZSTD_compressBound(body.size()), '\0');
  const std::size_t size = ZSTD_compress(frame.data(), frame.size(), body.data(), body.size(), 3);
  if (ZSTD_isError(size) != 0)
    fail(ErrorCode::internal, "cannot compress a page: {}", ZSTD_getErrorName(size));
  frame.resize(size);
  return frame;
}

std::optional<std::string> decompress(std::string_view frame, std::uint64_t bytes) {
  std::string body(bytes, '\0');
  const std::size_t size = ZSTD_decompress(body.data(), body.size(), frame.data(), frame.size());
  if (ZSTD_isError(size) != 0 || size != bytes) return std::nullopt;
  return body;
}

/// Names of folders: what else stands in a host's name becomes '_'.
std::string folder_name(const std::string& host) {
  std::string name;
  for (const char c : host.substr(0, 200)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-';
    name.push_back(plain ? c : '_');
  }
  return name.empty() || name.front() == '.' ? "_" + name : name;
}

}  // namespace

PageCache::PageCache(fs::path folder, std::uint64_t max_bytes)
    : folder_(std::move(folder)), max_bytes_(max_bytes) {}

fs::path PageCache::file_of(const std::string& key) const {
  const std::optional<Url> url = parse_url(key.substr(0, key.find(' ')));
  const std::string digest = sha256_hex(key).substr(0, 32);
  return folder_ / folder_name(url ? url->authority() : "") / digest.substr(0, 2) / (digest + ".page");
}

std::optional<CachedPage> PageCache::find(const std::string& key) const {
  std::ifstream in(file_of(key), std::ios::binary);
  if (!in) return std::nullopt;
  std::string line;
  std::getline(in, line);
  const json meta = json::parse(line, nullptr, false);
  if (!meta.is_object() || meta.value("key", "") != key) return std::nullopt;
  const std::uint64_t bytes = meta.value("bytes", std::uint64_t{0});
  if (bytes > max_bytes_) return std::nullopt;
  std::ostringstream frame;
  frame << in.rdbuf();
  std::optional<std::string> body = decompress(frame.str(), bytes);
  if (!body || checksum(*body) != meta.value("checksum", "")) return std::nullopt;
  return CachedPage{meta.value("url", ""),  meta.value("final_url", ""), meta.value("type", ""),
                    meta.value("etag", ""), meta.value("modified", ""),  meta.value("fetched", ""),
                    std::move(*body)};
}

void PageCache::put(const std::string& key, const CachedPage& page) {
  static std::atomic<std::uint64_t> number{0};
  const json meta{{"key", key},
                  {"url", page.url},
                  {"final_url", page.final_url},
                  {"type", page.type},
                  {"etag", page.etag},
                  {"modified", page.modified},
                  {"fetched", page.fetched_at},
                  {"bytes", page.body.size()},
                  {"checksum", checksum(page.body)}};
  const fs::path file = file_of(key);
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  // No sync: a page lost in a power cut is fetched again, and the checksum tells a damaged one.
  const fs::path part = file.string() + fmt::format(".{}.{}", ::getpid(), number++);
  std::ofstream out(part, std::ios::binary);
  out << meta.dump(-1, ' ', false, json::error_handler_t::replace) << '\n' << compress(page.body);
  out.close();
  if (!out) {
    fs::remove(part, error);
    fail(ErrorCode::exhausted,
         "cannot keep a page in {}: no room, or no right to write; free some space or "
         "choose another workspace",
         folder_.string());
  }
  fs::rename(part, file, error);
  if (error) fail(ErrorCode::unavailable, "cannot keep a page as {}: {}", file.string(), error.message());
}

void PageCache::forget(const std::string& key) {
  std::error_code ignored;
  fs::remove(file_of(key), ignored);
}

}  // namespace mustcite::net
