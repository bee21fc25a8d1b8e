#include "stages/extract/native/tokens.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>

#include "core/text/normalise.hpp"
#include "core/text/unicode.hpp"

namespace mustcite::extract::native {
namespace {

bool holds_any(const std::string& name, std::initializer_list<const char*> parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](const char* part) { return name.find(part) != std::string::npos; });
}

const char* ligature(char32_t code) {
  switch (code) {
    case 0xFB00:
      return "ff";
    case 0xFB01:
      return "fi";
    case 0xFB02:
      return "fl";
    case 0xFB03:
      return "ffi";
    case 0xFB04:
      return "ffl";
    case 0xFB05:
    case 0xFB06:
      return "st";
    default:
      return nullptr;
  }
}

bool all_capitals(const std::string& text) {
  bool letter = false;
  for (std::size_t at = 0; at < text.size();) {
    const char32_t code = text::decode(text, at);
    if (code == text::kMalformed) return false;
    if (!text::is_letter(code)) continue;
    if (!text::is_upper(code)) return false;
    letter = true;
  }
  return letter;
}

bool all_digits(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// "R" of 12 points before "EFERENCES" of 9.6 points with almost no space between.
bool is_small_caps_tail(const Token& before, const Token& token) {
  if (before.size <= 0 || token.size >= before.size * 0.93F || token.size <= before.size * 0.65F)
    return false;
  const float gap = token.x0 - before.x1;
  if (std::fabs(token.y1 - before.y1) > before.size * 0.25F || gap > before.size * 0.16F ||
      gap < -before.size * 0.3F)
    return false;
  return all_capitals(before.text) && all_capitals(token.text);
}

}  // namespace

FontTraits font_traits(const std::string& name) {
  FontTraits traits;
  std::string base = name;
  if (const auto plus = base.find('+'); plus == 6) base = base.substr(7);
  traits.bold = holds_any(base, {"Bold", "bold", "BOLD", "Medi", "CMBX", "cmbx", "SFBX", "Black", "Heavy",
                                 "Demi", "-Bd", "LinLibertineTB", "LinBiolinumTB", "ptmb", "CMSSBX"});
  traits.italic = holds_any(base, {"Ital", "ital", "Obli", "CMTI", "cmti", "SFTI", "Slanted", "CMSL",
                                   "LinLibertineTI", "ReguItal"});
  // Publishers' fonts have coded names with the style behind a stop: "AdvTT99c4c969.B",
  // "AdvOT1ef757c0.BI+20".
  if (const auto coded = base.find("Adv"); coded != std::string::npos) {
    const auto stop = base.find('.', coded);
    const std::string style =
        stop == std::string::npos ? "" : base.substr(stop + 1, base.find('+', stop) - stop - 1);
    traits.bold = traits.bold || style == "B" || style == "BI";
    traits.italic = traits.italic || style == "I" || style == "BI";
  }
  traits.math =
      holds_any(base, {"CMMI", "CMSY", "CMEX", "MSBM", "MSAM", "Math", "EUFM", "EUSM", "Symbol", "RSFS",
                       "cmmi", "cmsy", "txsy", "MTMI", "MTSY", "rtxmi", "NewTXMI", "txmia", "LibertineMath"});
  return traits;
}

std::string readable(const std::string& word) {
  if (text::is_ascii(word) && std::none_of(word.begin(), word.end(), [](char c) {
        return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
      })) {
    return word;
  }
  std::string out;
  for (std::size_t at = 0; at < word.size();) {
    const char32_t code = text::decode(word, at);
    if (code == text::kMalformed || code == 0xFFFD || code < 0x20 || (code >= 0x7F && code < 0xA0)) continue;
    if ((code >= 0xE000 && code <= 0xF8FF) || (code >= 0x200B && code <= 0x200F) || code == 0xFEFF ||
        code == 0x2060)
      continue;
    if (const char* parts = ligature(code)) {
      out += parts;
    } else if (code == 0xAD || code == 0x2010 || code == 0x2011) {
      out += '-';
    } else {
      text::encode(code, out);
    }
  }
  return text::nfc(out);
}

namespace {

/// Fonts of the page that give control characters in plenty: figures whose letters mean others.
std::vector<bool> broken_fonts(const pdf::Page& page, std::size_t fonts) {
  std::vector<std::size_t> all(fonts, 0);
  std::vector<std::size_t> strange(fonts, 0);
  for (const auto& word : page.words) {
    all[word.font] += word.text.size();
    strange[word.font] += static_cast<std::size_t>(std::count_if(
        word.text.begin(), word.text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }));
  }
  std::vector<bool> broken(fonts, false);
  for (std::size_t i = 0; i < fonts; ++i) broken[i] = all[i] >= 20 && strange[i] * 14 > all[i];
  return broken;
}

}  // namespace

std::vector<Token> page_tokens(const pdf::Page& page, const std::vector<FontTraits>& fonts) {
  std::vector<Token> tokens;
  tokens.reserve(page.words.size());
  bool dropped = false;
  const auto broken = broken_fonts(page, fonts.size());
  for (const auto& word : page.words) {
    const bool outside = word.x1 < 0 || word.x0 > page.width || word.y1 < 0 || word.y0 > page.height;
    std::string text = word.rotated || outside || broken[word.font] ? std::string() : readable(word.text);
    if (text.empty()) {
      dropped = dropped || !word.glued;
      continue;
    }
    Token token;
    token.text = std::move(text);
    token.x0 = word.x0;
    token.x1 = word.x1;
    token.y0 = word.y0;
    token.y1 = word.y1;
    token.size = word.size > 0.5F ? word.size : word.y1 - word.y0;
    token.glued = word.glued && !dropped && !tokens.empty();
    dropped = false;
    const FontTraits& traits = fonts[word.font];
    token.bold = traits.bold;
    token.italic = traits.italic;
    token.math = traits.math;
    if (!tokens.empty() && is_small_caps_tail(tokens.back(), token)) {
      Token& before = tokens.back();
      before.text += token.text;
      before.x1 = token.x1;
      continue;
    }
    tokens.push_back(std::move(token));
  }
  return tokens;
}

std::size_t drop_line_numbers(std::vector<Token>& tokens, float page_width) {
  // Numbers that share their right (or left) edge in a margin, count up by a fixed step, and have nothing
  // beside them.
  std::map<std::pair<int, int>, std::vector<std::size_t>> edges;  // kind of edge and place
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (token.text.size() > 4 || !all_digits(token.text)) continue;
    if (token.x1 >= page_width * 0.2F && token.x0 <= page_width * 0.8F) continue;
    edges[{0, static_cast<int>(std::lround(token.x0 / 3))}].push_back(i);
    edges[{1, static_cast<int>(std::lround(token.x1 / 3))}].push_back(i);
  }
  std::vector<bool> drop(tokens.size(), false);
  std::size_t dropped = 0;
  for (auto& [edge, members] : edges) {
    std::sort(members.begin(), members.end(),
              [&](std::size_t a, std::size_t b) { return tokens[a].y0 < tokens[b].y0; });
    if (members.size() < 12) continue;
    std::map<int, std::size_t> steps;
    for (std::size_t i = 1; i < members.size(); ++i)
      ++steps[std::stoi(tokens[members[i]].text) - std::stoi(tokens[members[i - 1]].text)];
    const auto usual = std::max_element(steps.begin(), steps.end(),
                                        [](const auto& a, const auto& b) { return a.second < b.second; });
    if (usual->first < 1 || usual->first > 10 || usual->second * 10 < members.size() * 7) continue;
    for (const std::size_t i : members) {
      dropped += drop[i] ? 0 : 1;
      drop[i] = true;
    }
  }
  if (dropped == 0) return 0;
  std::vector<Token> kept;
  kept.reserve(tokens.size());
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!drop[i]) kept.push_back(std::move(tokens[i]));
  }
  tokens = std::move(kept);
  return dropped;
}

}  // namespace mustcite::extract::native
