#include "apps/cli/collect_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/version.hpp"
#include "stages/collect/collect.hpp"

namespace mustcite::cli {
namespace {

using Years = std::vector<std::pair<int, int>>;

/// "2019" or "2019-2021".
std::optional<std::pair<int, int>> years_in(const std::string& text) {
  int first = 0;
  const char* const end = text.data() + text.size();
  const auto begin = std::from_chars(text.data(), end, first);
  if (begin.ec != std::errc{} || first < 1900 || first > 2100) return std::nullopt;
  if (begin.ptr == end) return std::pair{first, first};
  int last = 0;
  if (*begin.ptr != '-') return std::nullopt;
  const auto rest = std::from_chars(begin.ptr + 1, end, last);
  if (rest.ec != std::errc{} || rest.ptr != end || last < first || last > 2100) return std::nullopt;
  return std::pair{first, last};
}

/// The editions of a venue in any of the ranges. What lies between them unserved is said, not passed over.
void add_editions(const std::string& venue, const Years& years, std::vector<collect::Edition>& editions) {
  const std::size_t before = editions.size();
  for (const collect::Edition& edition : collect::editions()) {
    const bool wanted =
        edition.venue == venue && std::any_of(years.begin(), years.end(), [&](const auto& range) {
          return edition.year >= range.first && edition.year <= range.second;
        });
    if (wanted) editions.push_back(edition);
  }
  // Says what there is instead.
  if (editions.size() == before) (void)collect::editions_of(venue, years.front().first, years.front().second);
  for (const collect::Gap& gap : collect::gaps()) {
    for (const auto& [first, last] : years) {
      if (gap.venue != venue || first == 0 || gap.first > last || first > gap.last) continue;
      fmt::print(stderr, "note: {} {}-{} is left out: {}\n", venue, std::max(first, gap.first),
                 std::min(last, gap.last), gap.reason);
    }
  }
}

}  // namespace

std::vector<collect::Edition> editions_named(const std::vector<std::string>& words, const std::string& flag) {
  std::vector<std::string> venues;
  Years years;
  for (const std::string& word : words) {
    if (const auto range = years_in(word)) {
      years.push_back(*range);
    } else {
      venues.push_back(word);
    }
  }
  if (!flag.empty()) {
    const auto range = years_in(flag);
    if (!range) fail(ErrorCode::usage, "--years '{}': write 2019 or 2019-2021", flag);
    years.push_back(*range);
  }
  if (venues == std::vector<std::string>{"all"}) {
    venues.clear();
    for (const collect::VenueName& venue : collect::venues()) venues.push_back(venue.name);
  }
  if (venues.empty()) {
    fail(ErrorCode::usage,
         "collect what? Name venues and years, e.g. `mustcite collect icml 2024`; "
         "`mustcite collect table` lists them");
  }
  if (years.empty()) years.emplace_back(0, 9999);
  std::vector<collect::Edition> editions;
  for (const std::string& venue : venues) add_editions(venue, years, editions);
  return editions;
}

net::FetchOptions fetch_options(const Context& context, const PageFlags& flags,
                                const store::Workspace& workspace) {
  const Config& config = context.config();
  net::FetchOptions fetch;
  fetch.cache = workspace.folder() / "cache" / "pages";
  fetch.from_dir = flags.from_dir;
  fetch.offline = flags.offline;
  fetch.refresh = flags.refresh;
  fetch.version = kVersion;
  fetch.contact = config.text("collect.contact");
  fetch.retries = static_cast<int>(config.integer("collect.retries"));
  fetch.longest_pause = std::chrono::seconds(config.integer("collect.longest_pause_s"));
  fetch.max_bytes = static_cast<std::uint64_t>(config.integer("collect.max_page_bytes"));
  fetch.host_limits = collect::host_limits();
  const std::int64_t interval = config.integer("collect.interval_ms");
  if (interval > 0) {
    fetch.limit.interval = std::chrono::milliseconds(interval);
    for (auto& [host, limit] : fetch.host_limits) limit.interval = fetch.limit.interval;
    fetch.first_pause = std::min(fetch.first_pause, 10 * fetch.limit.interval);
  }
  fetch.guard.gateway = config.text("collect.gateway");
  fetch.guard.public_only = !config.flag("collect.private_addresses");
  return fetch;
}

}  // namespace mustcite::cli
