#include "core/text/acl_anthology.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "core/base/ascii.hpp"

namespace mustcite::text {
namespace {

constexpr int kDeepest = 50;

void append_text(const pugi::xml_node& node, int depth, std::string& out) {
  for (const pugi::xml_node& child : node.children()) {
    if (child.type() == pugi::node_pcdata || child.type() == pugi::node_cdata) {
      out += child.value();
    } else if (child.type() == pugi::node_element && depth < kDeepest) {
      const bool maths = std::string_view(child.name()) == "tex-math";
      if (maths) out.push_back('$');
      append_text(child, depth + 1, out);
      if (maths) out.push_back('$');
    }
  }
}

}  // namespace

std::string acl_text(const pugi::xml_node& node) {
  std::string out;
  append_text(node, 0, out);
  return out;
}

std::string acl_id(const std::string& collection, const std::string& volume, const std::string& number) {
  const bool old_style = collection.size() == 3 && collection[0] >= 'A' && collection[0] <= 'Z';
  if (!old_style) return fmt::format("{}-{}.{}", collection, volume, number);
  // W19 has two-digit volumes (and so do some others); elsewhere one digit is the volume and three are the
  // paper.
  const bool two_digits = volume.size() == 2 || collection[0] == 'W';
  return two_digits ? fmt::format("{}-{:0>2}{:0>2}", collection, volume, number)
                    : fmt::format("{}-{}{:0>3}", collection, volume, number);
}

std::string acl_track(const std::string& volume, const std::string& book_title) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 9> marks{
      {{"student research workshop", "srw"},
       {"long papers", "long"},
       {"short papers", "short"},
       {"system demonstration", "demo"},
       {"demonstrations", "demo"},
       {"tutorial", "tutorial"},
       {"industry", "industry"},
       {"findings", "findings"},
       {"workshop", "workshop"}}};
  for (const auto& [mark, track] : marks) {
    if (book_title.find(mark) != std::string::npos) return std::string(track);
  }
  const bool word = !volume.empty() &&
                    std::all_of(volume.begin(), volume.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  return word ? volume : "main";
}

int acl_month(const std::string& name) {
  constexpr std::string_view kMonths = "janfebmaraprmayjunjulaugsepoctnovdec";
  if (name.size() < 3) return 0;
  const std::size_t at = kMonths.find(ascii_lower(name.substr(0, 3)));
  return at == std::string_view::npos || at % 3 != 0 ? 0 : static_cast<int>(at / 3) + 1;
}

}  // namespace mustcite::text
