#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <unordered_map>

namespace mustcite::net {

/// Pages that the user saved by hand, for sites that may not or cannot be crawled. A page is found by a line
/// `file<TAB>address` of `pages.tsv` in the folder (files relative to it), else as wget and browsers save it:
/// `<host>/<path>`, with `?query` or `@query`, with `.html`, or as `index.html` of a folder. http and https,
/// and a final slash, make no difference. Nothing outside the folder is read by path.
class SavedPages {
 public:
  /// Throws not_found when there is no such folder, invalid_input for a line of pages.tsv that is none.
  explicit SavedPages(std::filesystem::path folder);

  [[nodiscard]] std::optional<std::string> find(const std::string& url) const;

 private:
  std::filesystem::path folder_;
  std::unordered_map<std::string, std::filesystem::path> by_address_;
};

}  // namespace mustcite::net
