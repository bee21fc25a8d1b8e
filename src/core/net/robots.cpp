#include "core/net/robots.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/base/ascii.hpp"

namespace mustcite::net {
namespace {

constexpr std::size_t kMostBytes = 500 * 1024;

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// `%61` and `a` are one path; an escaped slash stays another one.
std::string unescaped(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '%' && at + 2 < text.size() && hex_digit(text[at + 1]) >= 0 &&
        hex_digit(text[at + 2]) >= 0) {
      const int code = hex_digit(text[at + 1]) * 16 + hex_digit(text[at + 2]);
      if (code != '/' && code != 0) {
        result.push_back(static_cast<char>(code));
        at += 2;
        continue;
      }
    }
    result.push_back(text[at]);
  }
  return result;
}

/// Prefix match with `*` for anything and a final `$` for the end; linear but for the tries of one star.
bool matches(std::string_view pattern, std::string_view path) {
  const bool anchored = pattern.ends_with('$');
  if (anchored) pattern.remove_suffix(1);
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t star_at = 0;
  for (;;) {
    if (p == pattern.size() && (!anchored || t == path.size())) return true;
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_at = t;
    } else if (p < pattern.size() && t < path.size() && pattern[p] == path[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos && star_at < path.size()) {
      p = star + 1;
      t = ++star_at;
    } else {
      return false;
    }
  }
}

/// "mustcite/0.1 (+contact)" names the product "mustcite".
bool names_agent(std::string_view line_agent, const std::string& agent) {
  std::string product = ascii_lower(line_agent);
  product = product.substr(0, product.find_first_of("/ \t"));
  return !product.empty() && product == agent;
}

}  // namespace

Robots::Robots(std::string_view text, std::string_view agent_name) {
  text = text.substr(0, kMostBytes);
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const std::string agent = ascii_lower(agent_name);
  struct Group {
    std::vector<Rule> rules;
    std::optional<std::chrono::milliseconds> delay;
    bool found = false;
  };
  Group ours;
  Group everybody;
  bool in_ours = false;
  bool in_everybody = false;
  bool agents_open = false;  // consecutive user-agent lines share one group
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    line = ascii_trimmed(line.substr(0, line.find('#')));
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string key = ascii_lower(ascii_trimmed(line.substr(0, colon)));
    const std::string_view value = ascii_trimmed(line.substr(colon + 1));
    if (key == "user-agent") {
      if (!agents_open) in_ours = in_everybody = false;
      agents_open = true;
      if (value == "*") in_everybody = everybody.found = true;
      if (names_agent(value, agent)) in_ours = ours.found = true;
      continue;
    }
    if (key != "allow" && key != "disallow" && key != "crawl-delay") continue;
    agents_open = false;
    for (Group* group : {in_ours ? &ours : nullptr, in_everybody ? &everybody : nullptr}) {
      if (group == nullptr) continue;
      if (key == "crawl-delay") {
        const double seconds = std::strtod(std::string(value).c_str(), nullptr);
        if (std::isfinite(seconds) && seconds > 0) {
          group->delay = std::chrono::milliseconds(static_cast<std::int64_t>(std::min(seconds, 1e7) * 1000));
        }
      } else if (!value.empty()) {  // an empty Disallow allows everything
        group->rules.push_back({unescaped(value), key == "allow"});
      }
    }
  }
  Group& chosen = ours.found ? ours : everybody;
  rules_ = std::move(chosen.rules);
  delay_ = chosen.delay;
}

bool Robots::allows(std::string_view target) const {
  if (target == "/robots.txt") return true;
  const std::string path = unescaped(target);
  std::size_t longest = 0;
  bool allowed = true;
  for (const Rule& rule : rules_) {
    const std::size_t length = rule.pattern.size();
    if (length < longest || (length == longest && !rule.allow) || !matches(rule.pattern, path)) continue;
    longest = length;
    allowed = rule.allow;
  }
  return allowed;
}

}  // namespace mustcite::net
