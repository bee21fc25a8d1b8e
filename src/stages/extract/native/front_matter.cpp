#include <algorithm>
#include <cctype>
#include <cmath>

#include "core/text/names.hpp"
#include "core/text/normalise.hpp"
#include "core/text/unicode.hpp"
#include "stages/extract/native/body.hpp"

namespace mustcite::extract::native {
namespace {

bool is_boilerplate(const std::string& text) {
  const std::string lower = text::fold(text);
  for (const char* word : {"arxiv:", "proceedings of", "published as", "under review", "preprint",
                           "journal of", "workshop", "conference", "copyright", "http", "issn", "vol.",
                           "volume", "received", "accepted", "research article", "track:"}) {
    if (lower.find(word) != std::string::npos) return true;
  }
  return false;
}

/// Affiliations, addresses, e-mail: lines of the front that name no authors.
bool names_no_author(const std::string& text) {
  const std::string lower = text::fold(text);
  for (const char* word : {"@",
                           "university",
                           "universit",
                           "institute",
                           "institut",
                           "department",
                           "dept",
                           "school of",
                           "college",
                           "laborator",
                           "research",
                           "google",
                           "microsoft",
                           "facebook",
                           "openai",
                           "deepmind",
                           "inc.",
                           "corp",
                           " usa",
                           "china",
                           "france",
                           "germany",
                           "canada",
                           "http",
                           "abstract",
                           "equal contribution",
                           "center",
                           "centre",
                           "street",
                           "faculty",
                           "ecole",
                           "academy",
                           "group",
                           "thesis",
                           "presented",
                           "submitted",
                           "degree",
                           "requirements",
                           "technolog",
                           "united kingdom",
                           "united states",
                           "ireland",
                           "japan",
                           "korea",
                           "india",
                           "italy",
                           "spain",
                           "switzerland",
                           "netherlands",
                           "israel",
                           ".com",
                           ".edu",
                           "editor"}) {
    if (lower.find(word) != std::string::npos) return true;
  }
  return false;
}

/// Splits a line of names at commas, "and", footnote marks and wide gaps.
void add_names(const Line& line, std::vector<std::string>& authors) {
  std::string current;
  const auto close = [&] {
    std::size_t letters = 0;
    std::string clean;
    for (std::size_t at = 0; at < current.size();) {
      const std::size_t begin = at;
      const char32_t code = text::decode(current, at);
      const bool letter = code != text::kMalformed && (text::is_letter(code) || text::is_mark(code));
      letters += letter ? 1 : 0;
      if (letter || code == ' ' || code == '.' || code == '-' || code == '\'' || code == 0x2019)
        clean += current.substr(begin, at - begin);
    }
    current.clear();
    while (!clean.empty() && (clean.front() == ' ' || clean.front() == '.' || clean.front() == '-'))
      clean.erase(clean.begin());
    while (!clean.empty() && (clean.back() == ' ' || clean.back() == '-')) clean.pop_back();
    const auto spaces = std::count(clean.begin(), clean.end(), ' ');
    if (letters >= 4 && spaces >= 1 && spaces <= 5 && std::islower(static_cast<unsigned char>(clean[0])) == 0)
      authors.push_back(clean);
  };
  float last = line.x0;
  for (const auto& token : line.tokens) {
    const bool wide = token.x0 - last > line.size * 1.1F;
    last = token.x1;
    if (wide) close();
    if (token.raised || token.text == "and" || token.text == "&" || token.text == "And" ||
        token.text == "∗" || token.text == "†") {
      if (token.text == "and" || token.text == "&" || token.raised) close();
      continue;
    }
    if (!current.empty() && !token.glued) current += ' ';
    current += token.text;
    if (token.text.back() == ',' || token.text.back() == ';') {
      current.pop_back();
      close();
    }
  }
  close();
}

bool same_title(const std::string& a, const std::string& b) {
  return !a.empty() && heading_key(a) == heading_key(b);
}

/// The file's own list of authors, when the head of the page prints most of their names.
std::vector<std::string> names_in_file(const std::string& author, const Flow& flow, std::size_t limit) {
  const auto names = text::split_authors(author);
  if (names.empty() || author.size() < 6) return {};
  std::string head;
  for (std::size_t i = 0; i < std::min<std::size_t>(limit, flow.size()); ++i)
    head += " " + text::fold(flow.text(i));
  std::size_t printed = 0;
  for (const auto& name : names)
    printed += name.find(' ') != std::string::npos &&
                       head.find(text::fold(name.substr(name.rfind(' ') + 1))) != std::string::npos
                   ? 1
                   : 0;
  return printed * 3 >= names.size() * 2 ? names : std::vector<std::string>{};
}

}  // namespace

FrontMatter read_front_matter(const Flow& flow, const std::vector<Heading>& headings,
                              const pdf::Content& content) {
  FrontMatter front;
  const auto [first, last] = flow.page(1);
  std::size_t limit = last;
  front.body_begin = 0;
  for (const auto& heading : headings) {
    if (flow[heading.line].page > 2) break;
    const std::string key = heading_key(heading.text);
    if (key != "abstract" && key != "introduction" && key != "summary") continue;
    front.body_begin = heading.line;
    limit = std::min(last, heading.line);
    break;
  }
  if (first == last) return front;
  float largest = 0;
  for (std::size_t i = first; i < limit; ++i) {
    if (flow.text(i).size() >= 8 && flow[i].y0 < flow.layout().pages[0].height * 0.6F &&
        !is_boilerplate(flow.text(i)))
      largest = std::max(largest, flow[i].size);
  }
  std::size_t title_end = first;
  std::size_t title_begin = limit;
  for (std::size_t i = first; i < limit; ++i) {
    if (std::fabs(flow[i].size - largest) > 0.6F || flow[i].y0 > flow.layout().pages[0].height * 0.65F) {
      if (title_end > first) break;
      continue;
    }
    if (title_end > first && flow[i].y1 - flow[title_end - 1].y1 > largest * 2.2F) break;
    title_begin = std::min(title_begin, i);
    join_line(front.title, flow.text(i));
    title_end = i + 1;
  }
  // The file's own title is right when the page prints the same words.
  if (same_title(content.title, front.title)) front.title = content.title;
  front.title = text::clean_title(front.title);
  for (std::size_t i = title_end; i < limit && front.authors.size() < 200; ++i) {
    if (flow[i].size < flow.layout().body_size * 0.88F || names_no_author(flow.text(i)) ||
        is_boilerplate(flow.text(i))) {
      if (!front.authors.empty() && flow[i].column == Column::whole && names_no_author(flow.text(i)) &&
          i > title_end + 12)
        break;
      continue;
    }
    if (flow.text(i).size() > 200 || flow.text(i).find(". ") != std::string::npos) {
      if (flow[i].tokens.size() > 9) break;
    }
    add_names(flow[i], front.authors);
  }
  if (auto named = names_in_file(content.author, flow, limit); !named.empty())
    front.authors = std::move(named);
  if (front.body_begin == 0) {
    // No abstract and no introduction: the body begins at the first long paragraph.
    for (std::size_t i = title_end; i + 2 < flow.size(); ++i) {
      if (flow[i].tokens.size() >= 7 && flow[i + 1].tokens.size() >= 7 &&
          std::fabs(flow[i].size - flow[i + 1].size) < 0.5F && flow.follows(i + 1)) {
        front.body_begin = i;
        break;
      }
    }
  }
  return front;
}

}  // namespace mustcite::extract::native
