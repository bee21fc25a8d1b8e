#include <algorithm>

#include "apps/audit/latex/reader_state.hpp"

namespace mustcite::audit::latex {
namespace {

constexpr std::size_t kMostMentions = 200'000;
constexpr std::size_t kLongestKey = 300;
constexpr std::size_t kLongestList = std::size_t{1} << 16;

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && static_cast<unsigned char>(text.front()) <= ' ') text.remove_prefix(1);
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.remove_suffix(1);
  return text;
}

/// `a` and `b` of the broken `\cite{a, b and so on`: what looks like keys before the text goes on.
std::string rescued_keys(std::string_view rest) {
  std::string list;
  std::size_t at = 1;  // behind the brace
  while (at < rest.size() && at < 1000) {
    while (at < rest.size() && rest[at] == ' ') ++at;
    std::size_t end = at;
    while (end < rest.size() && static_cast<unsigned char>(rest[end]) > ' ' && rest[end] != ',' && rest[end] != '\\' &&
           rest[end] != '{' && rest[end] != '}' && rest[end] != '%') {
      ++end;
    }
    if (end == at) break;
    if (!list.empty()) list += ',';
    list += rest.substr(at, end - at);
    at = end;
    if (at >= rest.size() || rest[at] != ',') break;
    ++at;
  }
  return list;
}

}  // namespace

bool Reader::citation(const std::string& name) {
  const CiteShape shape = cite_shape(name);
  if (shape == CiteShape::none) return false;
  const Place place = scanner_.place();
  std::string command = name;
  if (scanner_.star()) command += '*';
  std::string notes;
  std::string content;
  const auto skip_notes = [&] {
    for (int i = 0; i < 3; ++i) {
      const bool found = scanner_.bracket(content) || (i == 0 && scanner_.delimited('<', '>', content, 200));
      if (!found) break;
      // A note may cite as well: \citep[see also][]{…}, [and \citealt{b}].
      if (content.find("cite") != std::string::npos) notes += " (" + content + ")";
    }
  };
  bool any = false;
  bool again = true;
  while (again) {
    again = false;
    if (shape == CiteShape::several && !any) {
      (void)scanner_.delimited('(', ')', content, 400);
      (void)scanner_.delimited('(', ')', content, 400);
    }
    skip_notes();
    if (scanner_.empty() || scanner_.at_end() || scanner_.rest().front() != '{') break;
    if (shape == CiteShape::volume) {
      (void)scanner_.argument(content);
      (void)scanner_.bracket(content);
    }
    if (!scanner_.argument(content, kLongestList)) {
      problem(place, "the closing brace of \\" + command + " is missing");
      content = scanner_.empty() || scanner_.at_end() ? "" : rescued_keys(scanner_.rest());
      scanner_.skip(scanner_.empty() || scanner_.at_end() ? 0 : 1);
      keys(content, command, place, shape == CiteShape::silent);
      any = true;
      break;
    }
    any = true;
    if (shape == CiteShape::alias) {
      (void)scanner_.argument(content);  // \defcitealias only names a work: its \citetalias is the mention
      return true;
    }
    keys(without_comments(content), command, place, shape == CiteShape::silent);
    if (shape == CiteShape::field) {
      (void)scanner_.bracket(content);
      (void)scanner_.argument(content);
    }
    if (shape == CiteShape::several && !scanner_.empty() && !scanner_.at_end()) {
      const char next = scanner_.rest().front();
      again = next == '{' || next == '[';
    }
  }
  if (!any && is_known_cite(name)) problem(place, "\\" + command + " names no key");
  if (!notes.empty() && bytes_expanded_ < (std::size_t{64} << 20)) {
    bytes_expanded_ += notes.size();
    if (!scanner_.empty()) scanner_.push_body(std::move(notes));
  }
  return true;
}

void Reader::keys(std::string_view list, const std::string& command, const Place& place, bool silent) {
  const SourcePosition where = position(place);
  const std::size_t first = draft_.mentions.size();
  std::string marker;
  std::size_t from = 0;
  while (from <= list.size()) {
    const std::size_t comma = std::min(list.find(',', from), list.size());
    const std::string_view key = trimmed(list.substr(from, comma - from));
    from = comma + 1;
    if (key.empty()) continue;
    if (silent && key == "*") {
      draft_.cites_everything = true;
      continue;
    }
    if (key.size() > kLongestKey || key.find_first_of("\\{}#") != std::string_view::npos) {
      problem(place, "\\" + command + " has something that is no key: " + std::string(key.substr(0, 40)));
      continue;
    }
    if (draft_.mentions.size() >= kMostMentions) {
      if (!full_) problem(place, "the draft has more citations than are read");
      full_ = true;
      break;
    }
    marker += marker.empty() ? "" : "; ";
    marker += key;
    DraftMention mention;
    mention.key = std::string(key);
    mention.command = command;
    mention.silent = silent;
    mention.where = where;
    draft_.mentions.push_back(std::move(mention));
  }
  const std::size_t begin = draft_.text.size();
  if (!marker.empty() && !silent) put("[" + marker + "]");
  for (std::size_t i = first; i < draft_.mentions.size(); ++i) {
    draft_.mentions[i].begin = begin;
    draft_.mentions[i].end = draft_.text.size();
  }
}

}  // namespace mustcite::audit::latex
