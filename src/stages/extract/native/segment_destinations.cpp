#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "core/text/normalise.hpp"
#include "stages/extract/native/reference_list.hpp"

namespace mustcite::extract::native {
namespace {

/// How well a line's first words agree with a destination's name: "cite.kingma2014adam" and "Kingma, D. P.".
int name_agreement(const std::string& name, const std::string& text) {
  const std::string key = text::fold(name);
  const std::string line = text::fold(text);
  int agreement = 0;
  std::size_t at = 0;
  int words = 0;
  while (at < line.size() && words < 4) {
    std::size_t end = at;
    while (end < line.size() && std::isalpha(static_cast<unsigned char>(line[end])) != 0) ++end;
    if (end - at >= 3) {
      ++words;
      if (key.find(line.substr(at, end - at)) != std::string::npos) agreement += 2;
    }
    at = end + 1;
  }
  return agreement;
}

/// The words that the paper's links to a destination cover: "Szegedy et al.".
std::string cited_as(const pdf::Content& content, const std::string& name) {
  std::string words;
  int links = 0;
  for (const auto& page : content.pages) {
    for (const auto& link : page.links) {
      if (link.destination != name || ++links > 4) continue;
      for (const auto& word : page.words) {
        const float x = (word.x0 + word.x1) / 2;
        const float y = (word.y0 + word.y1) / 2;
        if (x > link.x0 && x < link.x1 && y > link.y0 && y < link.y1) words += " " + word.text;
      }
    }
  }
  return words;
}

/// Lines that a destination may mean, with a cost: how far it stands from them, less what speaks for them.
std::vector<std::pair<double, std::size_t>> lines_of_destination(const Flow& flow,
                                                                 const pdf::Destination& destination,
                                                                 const std::string& cited,
                                                                 const std::set<std::size_t>& printed) {
  std::vector<std::pair<double, std::size_t>> found;
  const auto [first, last] = flow.page(destination.page);
  for (std::size_t i = first; i < last; ++i) {
    const Line& line = flow[i];
    const double below = line.y0 - destination.y;
    if (below < -6 || below > 26) continue;
    double cost = below < -1 ? -below * 3 : std::fabs(below - 2);
    if (printed.contains(i)) cost -= 4;
    if (destination.has_x) {
      if (destination.x > line.x1 || destination.x < line.x0 - 60) continue;
      cost += std::fabs(line.x0 - destination.x) * 0.08;
    } else {
      cost -= name_agreement(destination.name + " " + cited, flow.text(i)) * 3;
    }
    found.emplace_back(cost, i);
  }
  return found;
}

}  // namespace

bool segment_by_destinations(const Flow& flow, const pdf::Content& content, ReferenceList& list) {
  const auto& destinations = content.destinations;
  std::set<std::size_t> printed;
  if (list.found()) {
    ReferenceList by_print = list;
    segment_by_print(flow, by_print);
    printed.insert(by_print.starts.begin(), by_print.starts.end());
  }
  std::map<std::size_t, std::string> found;
  std::size_t named = 0;
  // The surest first: each line begins one entry only.
  std::vector<std::tuple<double, std::size_t, std::size_t>> pairs;
  for (std::size_t d = 0; d < destinations.size(); ++d) {
    if (!destinations[d].name.starts_with("cite.")) continue;
    ++named;
    const std::string cited = destinations[d].has_x ? std::string() : cited_as(content, destinations[d].name);
    for (const auto& [cost, line] : lines_of_destination(flow, destinations[d], cited, printed))
      pairs.emplace_back(cost, d, line);
  }
  std::sort(pairs.begin(), pairs.end());
  std::set<std::size_t> placed;
  for (const auto& [cost, d, line] : pairs) {
    if (placed.contains(d) || found.contains(line)) continue;
    placed.insert(d);
    found.emplace(line, destinations[d].name);
  }
  if (named < 2 || found.size() * 2 < named) return false;
  const std::size_t first = found.begin()->first;
  if (!list.found() || first < list.begin || found.rbegin()->first >= list.end) {
    // The list stands elsewhere, or reaches further, than print alone says.
    const std::size_t old_end = list.found() ? list.end : 0;
    ReferenceList widened;
    widened.heading =
        list.found() && list.heading != kNoLine && list.heading < first ? list.heading : kNoLine;
    widened.begin = first;
    widened.second = list.second;
    widened.end = std::max(old_end, found.rbegin()->first + 1);
    if (old_end <= found.rbegin()->first) {
      const float size = flow[found.rbegin()->first].size;
      while (widened.end < flow.size() && widened.end < found.rbegin()->first + 14 &&
             std::fabs(flow[widened.end].size - size) < 0.6F && !looks_like_heading(flow, widened.end) &&
             flow[widened.end].column == flow[widened.end - 1].column)
        ++widened.end;
    }
    widened.skipped.assign(widened.end - widened.begin, false);
    for (std::size_t i = widened.begin; i < widened.end; ++i) {
      if (list.found() && i >= list.begin && i < list.end)
        widened.skipped[i - widened.begin] = list.skipped[i - list.begin];
    }
    list = std::move(widened);
  } else {
    list.skipped.erase(list.skipped.begin(),
                       list.skipped.begin() + static_cast<std::ptrdiff_t>(first - list.begin));
    list.begin = first;
  }
  list.starts.clear();
  list.destinations.clear();
  for (const auto& [line, name] : found) {
    list.starts.push_back(line);
    list.destinations.push_back(name);
    list.skipped[line - list.begin] = false;
  }
  list.signal = "destinations";
  return true;
}

}  // namespace mustcite::extract::native
