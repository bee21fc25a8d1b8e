#include "apps/reproduce/tables/digests.hpp"

#include <chrono>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/base/hash.hpp"
#include "core/base/threads.hpp"
#include "core/io/file.hpp"

namespace mustcite::reproduce {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::int64_t changed_ns(const fs::path& file) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(fs::last_write_time(file).time_since_epoch())
      .count();
}

}  // namespace

DigestCache::DigestCache(fs::path file) : file_(std::move(file)) {
  if (!fs::exists(file_)) return;
  const Json json = Json::parse(io::read_file(file_), nullptr, false);
  if (!json.is_object()) return;
  for (const auto& [path, entry] : json.items()) {
    if (!entry.is_array() || entry.size() != 3 || !entry[0].is_number_unsigned() || !entry[1].is_number() ||
        !entry[2].is_string())
      continue;
    entries_[path] = {entry[0].get<std::uint64_t>(), entry[1].get<std::int64_t>(),
                      entry[2].get<std::string>()};
  }
}

std::string DigestCache::of_file(const fs::path& file) {
  stop_if_interrupted();
  std::error_code error;
  const auto bytes = fs::file_size(file, error);
  if (error) fail(ErrorCode::not_found, "cannot read {}: {}", file.string(), error.message());
  const auto changed = changed_ns(file);
  Entry& entry = entries_[fs::absolute(file).lexically_normal().string()];
  if (entry.sha256.empty() || entry.bytes != bytes || entry.changed_ns != changed)
    entry = {bytes, changed, sha256_file(file)};
  return entry.sha256;
}

template <typename Iterator>
std::string DigestCache::of_entries(const fs::path& folder) {
  std::map<std::string, fs::path> files;
  for (const auto& entry : Iterator(folder)) {
    const std::string name = entry.path().filename().string();
    // Locks and digests that a program keeps beside its files change nothing.
    if (entry.is_regular_file() && !name.starts_with('.'))
      files[fs::relative(entry.path(), folder).generic_string()] = entry.path();
  }
  std::string all;
  for (const auto& [name, path] : files) all += fmt::format("{}\t{}\n", name, of_file(path));
  return sha256_hex(all);
}

std::string DigestCache::of(const fs::path& path) {
  return fs::is_directory(path) ? of_entries<fs::recursive_directory_iterator>(path) : of_file(path);
}

std::string DigestCache::of_files_in(const fs::path& folder) {
  return of_entries<fs::directory_iterator>(folder);
}

void DigestCache::save() const {
  Json json = Json::object();
  for (const auto& [path, entry] : entries_) json[path] = {entry.bytes, entry.changed_ns, entry.sha256};
  io::write_file_atomically(file_, json.dump(1) + "\n");
}

}  // namespace mustcite::reproduce
