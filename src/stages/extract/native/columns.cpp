#include "stages/extract/native/columns.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

namespace mustcite::extract::native {
namespace {

float overlap(float a0, float a1, float b0, float b1) {
  return std::min(a1, b1) - std::max(a0, b0);
}

/// The window of eight points in the middle of the page that the fewest tokens cross, widened as far as that
/// holds.
Gutter emptiest_strip(const std::vector<Token>& tokens, float width) {
  const int bins = static_cast<int>(std::min(width, 3000.F)) + 2;
  std::vector<int> cover(static_cast<std::size_t>(bins), 0);
  for (const auto& token : tokens) {
    const int first = std::clamp(static_cast<int>(std::floor(token.x0)), 0, bins - 1);
    const int last = std::clamp(static_cast<int>(std::ceil(token.x1)), 0, bins - 1);
    for (int x = first; x < last; ++x) ++cover[static_cast<std::size_t>(x)];
  }
  constexpr int kWindow = 8;
  const int from = static_cast<int>(width * 0.36F);
  const int to = static_cast<int>(width * 0.64F) - kWindow;
  int best = -1;
  int best_sum = 0;
  for (int x = from; x <= to; ++x) {
    int sum = 0;
    for (int i = 0; i < kWindow; ++i) sum += cover[static_cast<std::size_t>(x + i)];
    const auto off = [&](int at) { return std::abs(at + kWindow / 2 - static_cast<int>(width / 2)); };
    if (best < 0 || sum < best_sum || (sum == best_sum && off(x) < off(best))) {
      best = x;
      best_sum = sum;
    }
  }
  Gutter strip;
  if (best < 0) return strip;
  const int most = best_sum / kWindow + 2;
  int begin = best;
  int end = best + kWindow;
  while (begin > from - 20 && begin > 0 && cover[static_cast<std::size_t>(begin - 1)] <= most) --begin;
  while (end < to + 28 && end + 1 < bins && cover[static_cast<std::size_t>(end)] <= most) ++end;
  strip.begin = static_cast<float>(begin);
  strip.end = static_cast<float>(end);
  return strip;
}

/// The most values that lie within `tolerance` of one another, and where.
std::pair<std::size_t, float> most_aligned(std::vector<float> values, float tolerance) {
  std::sort(values.begin(), values.end());
  std::size_t most = 0;
  float where = 0;
  for (std::size_t i = 0, j = 0; i < values.size(); ++i) {
    while (values[i] - values[j] > tolerance) ++j;
    if (i - j + 1 > most) {
      most = i - j + 1;
      where = values[i];
    }
  }
  return {most, where};
}

void push_line(std::vector<Line>& lines, std::vector<Token>& tokens, Column column) {
  for (auto& line : make_lines(std::move(tokens))) {
    line.column = column;
    lines.push_back(std::move(line));
  }
}

/// Lines of the two sides that are one line across the gutter.
void join_across(std::vector<Line>& left, std::vector<Line>& right, const Gutter& gutter,
                 std::vector<Line>& whole) {
  const float width = gutter.end - gutter.begin;
  std::vector<bool> taken(right.size(), false);
  std::vector<Line> rest;
  for (auto& line : left) {
    bool crosses = line.x1 > gutter.middle() + width * 0.3F;
    for (std::size_t i = 0; i < right.size(); ++i) {
      if (taken[i]) continue;
      const float shared = overlap(line.y0, line.y1, right[i].y0, right[i].y1);
      if (shared < 0.6F * std::min(line.y1 - line.y0, right[i].y1 - right[i].y0)) continue;
      const float gap = right[i].x0 - line.x1;
      if (gap > std::min(width * 0.55F, std::max(line.size, 6.F) * 0.9F) && !(crosses && gap < width * 2))
        continue;
      taken[i] = true;
      crosses = true;
      line.tokens.insert(line.tokens.end(), std::make_move_iterator(right[i].tokens.begin()),
                         std::make_move_iterator(right[i].tokens.end()));
      measure(line);
    }
    if (crosses) {
      line.column = Column::whole;
      whole.push_back(std::move(line));
    } else {
      rest.push_back(std::move(line));
    }
  }
  left = std::move(rest);
  rest.clear();
  for (std::size_t i = 0; i < right.size(); ++i) {
    if (taken[i]) continue;
    if (right[i].x0 < gutter.middle() - width * 0.3F) {
      right[i].column = Column::whole;
      whole.push_back(std::move(right[i]));
    } else {
      rest.push_back(std::move(right[i]));
    }
  }
  right = std::move(rest);
}

}  // namespace

void measure(Line& line) {
  std::map<int, std::size_t> sizes;
  std::size_t bold = 0;
  std::size_t italic = 0;
  std::size_t all = 0;
  line.x0 = line.tokens.front().x0;
  line.x1 = line.tokens.front().x1;
  for (const auto& token : line.tokens) {
    line.x0 = std::min(line.x0, token.x0);
    line.x1 = std::max(line.x1, token.x1);
    const std::size_t n = token.text.size();
    sizes[static_cast<int>(std::lround(token.size * 4))] += n;
    all += n;
    bold += token.bold ? n : 0;
    italic += token.italic ? n : 0;
  }
  const auto usual = std::max_element(sizes.begin(), sizes.end(),
                                      [](const auto& a, const auto& b) { return a.second < b.second; });
  line.size = static_cast<float>(usual->first) / 4;
  line.bold = bold * 2 > all;
  line.italic = italic * 2 > all;
  bool first = true;
  for (const auto& token : line.tokens) {
    if (token.size < line.size * 0.9F) continue;
    line.y0 = first ? token.y0 : std::min(line.y0, token.y0);
    line.y1 = first ? token.y1 : std::max(line.y1, token.y1);
    first = false;
  }
  for (auto& token : line.tokens) {
    token.raised = token.size < line.size * 0.88F && token.y1 < line.y1 - line.size * 0.12F &&
                   token.y0 + token.y1 < line.y0 + line.y1;
  }
}

std::vector<Line> make_lines(std::vector<Token> tokens) {
  struct Row {
    float y0, y1, size;
    std::vector<std::size_t> members;
  };
  std::vector<std::size_t> order(tokens.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  // Large tokens found rows first, so that raised and lowered ones find a line to join; signs of formulas may
  // be taller than their line and come last.
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (tokens[a].math != tokens[b].math) return tokens[b].math;
    return std::lround(tokens[a].size * 4) > std::lround(tokens[b].size * 4);
  });
  std::multimap<float, Row> rows;  // by y0
  for (const std::size_t i : order) {
    const Token& token = tokens[i];
    Row* best = nullptr;
    float best_shared = 0;
    for (auto at = rows.lower_bound(token.y0 - 40); at != rows.end() && at->first < token.y1; ++at) {
      Row& row = at->second;
      const float shared = overlap(row.y0, row.y1, token.y0, token.y1);
      const float least = std::min(row.y1 - row.y0, token.y1 - token.y0);
      const bool small = token.size < row.size * 0.85F;
      if (shared < least * (small ? 0.45F : 0.55F) || shared <= best_shared) continue;
      best = &row;
      best_shared = shared;
    }
    if (best == nullptr) best = &rows.emplace(token.y0, Row{token.y0, token.y1, token.size, {}})->second;
    best->members.push_back(i);
  }
  std::vector<Line> lines;
  lines.reserve(rows.size());
  for (auto& [y, row] : rows) {
    // In the file's order words of one run follow each other: ties of x keep it.
    std::sort(row.members.begin(), row.members.end());
    std::stable_sort(row.members.begin(), row.members.end(),
                     [&](std::size_t a, std::size_t b) { return tokens[a].x0 < tokens[b].x0; });
    Line line;
    for (std::size_t k = 0; k < row.members.size(); ++k) {
      const std::size_t i = row.members[k];
      const bool follows = k > 0 && row.members[k - 1] + 1 == i;
      const float gap = k > 0 ? tokens[i].x0 - tokens[row.members[k - 1]].x1 : 0;
      if (k > 0 && !follows) tokens[i].glued = gap < 0.1F * tokens[i].size;
      if (gap > 0.3F * tokens[i].size) tokens[i].glued = false;
      if (k == 0) tokens[i].glued = false;
    }
    for (const std::size_t i : row.members) line.tokens.push_back(std::move(tokens[i]));
    measure(line);
    lines.push_back(std::move(line));
  }
  return lines;
}

Gutter find_gutter(const std::vector<Token>& tokens, float page_width, std::size_t least_rows) {
  Gutter strip = emptiest_strip(tokens, page_width);
  if (strip.end - strip.begin < 7) return strip;
  std::vector<Token> left;
  std::vector<Token> right;
  for (const auto& token : tokens) {
    Token place;  // only where it stands matters here
    place.text = "x";
    place.x0 = token.x0;
    place.x1 = token.x1;
    place.y0 = token.y0;
    place.y1 = token.y1;
    place.size = token.size;
    ((place.x0 + place.x1) / 2 < strip.middle() ? left : right).push_back(std::move(place));
  }
  std::vector<float> ends;
  std::vector<float> begins;
  std::size_t crossing = 0;
  for (const auto& line : make_lines(std::move(left))) {
    if (line.x1 > strip.middle() + 2)
      ++crossing;
    else if (line.x1 > strip.begin - page_width * 0.25F)
      ends.push_back(line.x1);
  }
  for (const auto& line : make_lines(std::move(right))) {
    if (line.x0 < strip.end + page_width * 0.1F) begins.push_back(line.x0);
  }
  // Columns begin at one place and, being justified, end at one place; ragged ones only begin.
  const auto [aligned_begins, at] = most_aligned(begins, 2.F);
  const auto [aligned_ends, end] = most_aligned(ends, 4.F);
  const bool near = at < strip.end + 40 && at > strip.begin;
  strip.found = near && aligned_begins >= least_rows &&
                (aligned_ends >= least_rows || ends.size() >= 2 * least_rows) &&
                crossing < aligned_begins * 3 && aligned_begins * 3 >= begins.size();
  return strip;
}

Gutter find_usual_gutter(const std::vector<Token>& tokens, const Gutter& usual) {
  constexpr std::size_t kLeastRows = 5;
  std::size_t left = 0;
  std::size_t right = 0;
  for (const auto& line : make_lines(tokens)) {
    const bool crossed = std::any_of(line.tokens.begin(), line.tokens.end(), [&](const Token& token) {
      return token.x0 < usual.end - 2 && token.x1 > usual.begin + 2;
    });
    if (crossed) continue;
    // Chance leaves the gap between two words there now and then, but none so wide.
    const auto behind = std::find_if(line.tokens.begin(), line.tokens.end(),
                                     [&](const Token& token) { return token.x0 >= usual.end - 2; });
    left += behind != line.tokens.begin() ? 1 : 0;
    right += behind != line.tokens.end() && behind->x0 < usual.end + 4 ? 1 : 0;
  }
  Gutter gutter = usual;
  gutter.found = left >= kLeastRows && right >= kLeastRows && usual.end - usual.begin >= 7;
  return gutter;
}

std::vector<Line> page_lines(std::vector<Token> tokens, const Gutter& gutter) {
  if (!gutter.found) return make_lines(std::move(tokens));
  std::vector<Token> sides[2];
  for (auto& token : tokens)
    sides[(token.x0 + token.x1) / 2 < gutter.middle() ? 0 : 1].push_back(std::move(token));
  std::vector<Line> left;
  std::vector<Line> right;
  std::vector<Line> whole;
  push_line(left, sides[0], Column::left);
  push_line(right, sides[1], Column::right);
  join_across(left, right, gutter, whole);
  std::sort(whole.begin(), whole.end(), [](const Line& a, const Line& b) { return a.y0 < b.y0; });
  std::vector<Line> ordered;
  std::size_t l = 0;
  std::size_t r = 0;
  std::uint32_t band = 0;
  const auto take = [&](std::vector<Line>& from, std::size_t& at, float above) {
    while (at < from.size() && (from[at].y0 + from[at].y1) / 2 < above) {
      from[at].band = band;
      ordered.push_back(std::move(from[at++]));
    }
  };
  for (auto& line : whole) {
    const float above = (line.y0 + line.y1) / 2;
    const std::size_t before = ordered.size();
    take(left, l, above);
    take(right, r, above);
    if (ordered.size() != before) ++band;
    line.band = band;
    ordered.push_back(std::move(line));
  }
  ++band;
  take(left, l, 1e9F);
  take(right, r, 1e9F);
  return ordered;
}

}  // namespace mustcite::extract::native
