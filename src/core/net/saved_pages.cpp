#include "core/net/saved_pages.hpp"

#include <vector>

#include "core/base/error.hpp"
#include "core/io/file.hpp"
#include "core/io/lines.hpp"
#include "core/net/url.hpp"

namespace mustcite::net {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostBytes = std::size_t{256} << 20;

/// Host and path, so that https://a.org/b/ and http://a.org/b are one page.
std::string place(const Url& url) {
  std::string path = url.path;
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return url.authority() + path + (url.query.empty() ? "" : "?" + url.query);
}

}  // namespace

SavedPages::SavedPages(fs::path folder) : folder_(std::move(folder)) {
  std::error_code error;
  if (!fs::is_directory(folder_, error))
    fail(ErrorCode::not_found, "reading saved pages: there is no folder {}; check --from-dir",
         folder_.string());
  const fs::path list = folder_ / "pages.tsv";
  if (!fs::exists(list, error)) return;
  io::LineReader lines(list);
  for (std::string_view line; lines.next(line);) {
    if (line.empty() || line.front() == '#') continue;
    const std::size_t tab = line.find('\t');
    const std::optional<Url> url =
        tab == std::string_view::npos ? std::nullopt : parse_url(line.substr(tab + 1));
    if (!url)
      fail(ErrorCode::invalid_input, "{}:{}: a line is a file, a tab and the address it was saved from",
           list.string(), lines.line_number());
    by_address_[place(*url)] = folder_ / fs::path(line.substr(0, tab));
  }
}

std::optional<std::string> SavedPages::find(const std::string& address) const {
  const std::optional<Url> url = parse_url(address);
  if (!url) return std::nullopt;
  std::vector<fs::path> candidates;
  if (const auto named = by_address_.find(place(*url)); named != by_address_.end()) {
    candidates.push_back(named->second);
  }
  if (url->path.find("..") == std::string::npos && url->host.find('/') == std::string::npos) {
    const std::string base = (folder_ / url->host).string() + url->path;
    std::vector<std::string> names;
    if (!url->query.empty()) {
      for (const char* sign : {"?", "@"}) {
        if (url->query.find('/') == std::string::npos) names.push_back(base + sign + url->query);
      }
    } else {
      names.push_back(base);
    }
    for (const std::string& name : names) {
      candidates.emplace_back(name);
      candidates.emplace_back(name + ".html");
      candidates.emplace_back(fs::path(name) / "index.html");
    }
  }
  for (const fs::path& candidate : candidates) {
    std::error_code error;
    if (fs::is_regular_file(candidate, error)) return io::read_file(candidate, kMostBytes);
  }
  return std::nullopt;
}

}  // namespace mustcite::net
