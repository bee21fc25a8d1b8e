#include "apps/audit/source_tree.hpp"

#include <algorithm>
#include <system_error>

#include "core/base/error.hpp"
#include "core/io/file.hpp"

namespace mustcite::audit {
namespace fs = std::filesystem;

std::string normal_path(std::string_view path) {
  if (path.empty() || path.front() == '/' || path.front() == '\\' || path.find('\0') != std::string_view::npos) {
    return {};
  }
  if (path.size() > 1 && path[1] == ':') return {};  // a drive letter
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  while (begin <= path.size()) {
    const std::size_t end = std::min(path.find_first_of("/\\", begin), path.size());
    const std::string_view part = path.substr(begin, end - begin);
    begin = end + 1;
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      if (parts.empty()) return {};
      parts.pop_back();
    } else {
      parts.push_back(part);
    }
  }
  std::string result;
  for (const auto& part : parts) {
    if (!result.empty()) result += '/';
    result += part;
  }
  return result;
}

namespace {

/// True when `path`, symbolic links followed, lies in `folder`.
bool lies_in(const fs::path& path, const fs::path& folder) {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(path, error);
  if (error) return false;
  const fs::path base = fs::weakly_canonical(folder, error);
  if (error) return false;
  const auto [in_base, in_real] = std::mismatch(base.begin(), base.end(), real.begin(), real.end());
  return in_base == base.end() || (std::next(in_base) == base.end() && in_base->empty());
}

}  // namespace

FolderTree::FolderTree(fs::path root, bool allow_outside, ReadLimits limits)
    : root_(root.empty() ? fs::path(".") : std::move(root)), allow_outside_(allow_outside), limits_(limits) {}

SourceTree::Found FolderTree::read(std::string_view path, std::string& content) const {
  if (path.empty() || path.size() > 1024 || path.find('\0') != std::string_view::npos) return Found::no;
  const std::string normal = normal_path(path);
  if (normal.empty() && !allow_outside_) return Found::outside;
  const fs::path full = normal.empty() ? root_ / fs::path(path) : root_ / fs::path(normal);
  std::error_code error;
  if (!fs::is_regular_file(full, error)) return Found::no;
  if (!allow_outside_ && !lies_in(full, root_)) return Found::outside;
  const auto size = fs::file_size(full, error);
  if (error) return Found::no;
  if (size > limits_.file_bytes) return Found::too_large;
  try {
    content = io::read_file(full, limits_.file_bytes);
  } catch (const Error& failure) {
    if (failure.code() != ErrorCode::not_found) throw;
    return Found::no;
  }
  return Found::yes;
}

std::vector<std::string> FolderTree::files() const {
  std::vector<std::string> result;
  std::error_code error;
  fs::recursive_directory_iterator it(root_, fs::directory_options::skip_permission_denied, error);
  if (error) return result;
  for (const fs::recursive_directory_iterator end; it != end && result.size() < limits_.files; it.increment(error)) {
    if (error) break;
    const std::string name = it->path().filename().string();
    if (it->is_directory(error)) {
      if (it.depth() > 12 || (!name.empty() && name.front() == '.')) it.disable_recursion_pending();
      continue;
    }
    if (it->is_regular_file(error)) result.push_back(it->path().lexically_relative(root_).generic_string());
  }
  std::sort(result.begin(), result.end());
  return result;
}

SourceTree::Found MemoryTree::read(std::string_view path, std::string& content) const {
  if (path.empty()) return Found::no;
  const std::string normal = normal_path(path);
  if (normal.empty()) return Found::outside;
  const auto found = files_.find(normal);
  if (found == files_.end()) return Found::no;
  content = found->second;
  return Found::yes;
}

std::vector<std::string> MemoryTree::files() const {
  std::vector<std::string> result;
  for (const auto& [name, content] : files_) result.push_back(name);
  return result;
}

}  // namespace mustcite::audit
