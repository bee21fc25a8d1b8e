#include "apps/audit/latex/reader.hpp"

#include <algorithm>

#include "apps/audit/latex/authors.hpp"
#include "apps/audit/latex/reader_state.hpp"
#include "apps/audit/sentences.hpp"
#include "core/base/error.hpp"

namespace mustcite::audit::latex {
namespace {

constexpr std::size_t kDeepestGroup = 10'000;
constexpr std::size_t kLongestHeading = 4'000;
constexpr std::size_t kLongestAuthors = 16'384;
constexpr std::size_t kCallsInARow = 5'000;
constexpr std::size_t kExpandedBytes = std::size_t{64} << 20;

bool is_letters(const std::string& name) {
  return !name.empty() && ((name[0] >= 'a' && name[0] <= 'z') || (name[0] >= 'A' && name[0] <= 'Z'));
}

}  // namespace

Draft read_latex(const SourceTree& tree, const std::string& main_file, const ReadLimits& limits) {
  return Reader(tree, limits).read(main_file);
}

Draft Reader::read(const std::string& main_file) {
  std::string content;
  switch (tree_.read(main_file, content)) {
    case SourceTree::Found::yes:
      break;
    case SourceTree::Found::too_large:
      fail(ErrorCode::exhausted, "reading the draft: {} is larger than {} MB; split it", main_file, limits_.file_bytes >> 20);
    default:
      fail(ErrorCode::not_found, "reading the draft: {} is not there", main_file);
  }
  draft_.format = DraftFormat::latex;
  draft_.main_file = main_file;
  const std::size_t slash = main_file.rfind('/');
  main_folder_ = slash == std::string::npos ? "" : main_file.substr(0, slash + 1);
  push_file(main_file, std::move(content));
  while (!scanner_.empty()) {
    if (scanner_.at_end()) {
      leave_text();
    } else {
      step();
    }
  }
  finish();
  return std::move(draft_);
}

void Reader::leave_text() {
  if (!scanner_.in_macro()) file_text_begin_.pop_back();
  scanner_.pop();
}

void Reader::step() {
  if (!scanner_.in_macro()) calls_in_a_row_ = 0;
  switch (scanner_.rest().front()) {
    case '\\':
      command();
      break;
    case '%':
      comment();
      break;
    case '{':
      open_group(Closing::nothing);
      break;
    case '}':
      close_group();
      break;
    case ' ':
    case '\t':
    case '\n':
    case '\r':
      white_space();
      break;
    case '~':
    case '&':
      put_space();
      scanner_.skip(1);
      break;
    case '$':
      scanner_.skip(1);
      break;
    default:
      plain_text();
  }
}

void Reader::plain_text() {
  const std::string_view text = scanner_.rest();
  for (const auto& [written, meant] : {std::pair<std::string_view, std::string_view>{"---", "—"}, {"--", "–"}, {"``", "“"}, {"''", "”"}}) {
    if (text.starts_with(written)) {
      put(meant);
      scanner_.skip(written.size());
      return;
    }
  }
  const std::size_t end = std::min(text.find_first_of("\\%{} \t\n\r~&$-`'", 1), text.size());
  put(text.substr(0, end));
  scanner_.skip(end);
}

void Reader::white_space() {
  const std::string_view text = scanner_.rest();
  std::size_t i = 0;
  int line_ends = 0;
  while (i < text.size() && (text[i] == ' ' || text[i] == '\t' || text[i] == '\n' || text[i] == '\r')) {
    line_ends += text[i] == '\n' ? 1 : 0;
    ++i;
  }
  if (line_ends > 1) {
    // A title or a heading cannot go over a paragraph: its closing brace is missing.
    if (!groups_.empty() && (groups_.back().closing == Closing::heading || groups_.back().closing == Closing::title)) {
      problem(groups_.back().place, "the closing brace of a title or heading is missing");
      close_group();
      return;
    }
    put_paragraph();
  } else {
    put_space();
  }
  scanner_.skip(i);
}

void Reader::comment() {
  const std::string_view text = scanner_.rest();
  const std::size_t line = std::min(text.find('\n'), text.size());
  if (text.substr(0, line).find("cite") != std::string_view::npos) set_aside(text.substr(1, line - 1), 1, "in a comment");
  std::size_t i = line == text.size() ? line : line + 1;
  while (i < text.size() && (text[i] == ' ' || text[i] == '\t')) ++i;
  scanner_.skip(i);
}

void Reader::open_group(Closing closing, int level) {
  if (closing != Closing::nothing) scanner_.skip_to_argument();
  if (scanner_.empty() || scanner_.at_end() || scanner_.rest().front() != '{') return;
  const Place place = closing == Closing::nothing ? Place{} : scanner_.place();
  scanner_.skip(1);
  if (groups_.size() >= kDeepestGroup) {
    if (groups_too_deep_++ == 0) problem(scanner_.place(), "braces are nested too deep");
    return;
  }
  groups_.push_back({closing, draft_.text.size(), level, place});
}

void Reader::close_group() {
  if (scanner_.rest().front() == '}') scanner_.skip(1);
  if (groups_too_deep_ > 0) {
    --groups_too_deep_;
  } else if (groups_.empty()) {
    problem(scanner_.place(), "a closing brace without an opening one");
  } else {
    const Group group = groups_.back();
    groups_.pop_back();
    finish_group(group);
  }
}

void Reader::finish_group(const Group& group) {
  if (group.closing == Closing::nothing) return;
  const std::size_t begin = std::min(group.begin, draft_.text.size());
  const std::string content = one_line(std::string_view(draft_.text).substr(begin), 20'000);
  switch (group.closing) {
    case Closing::title:
      cut_text(begin);
      if (!content.empty()) draft_.title = content.substr(0, kLongestHeading);
      break;
    case Closing::heading:
      cut_text(begin);
      add_section(content.substr(0, kLongestHeading), group.level);
      break;
    case Closing::abstract:
      draft_.abstract = without_markers(draft_, begin, draft_.text.size());
      put_paragraph();
      break;
    case Closing::discard:
      cut_text(begin);
      break;
    case Closing::footnote:
      put(") ");
      break;
    case Closing::nothing:
      break;
  }
}

void Reader::add_section(const std::string& title, int level) {
  put_paragraph();
  Section section;
  section.title = title;
  section.level = level;
  section.begin = draft_.text.size();
  section.where = position(scanner_.place());
  section.kind = section_kind(title);
  if (in_appendix_) section.kind = SectionKind::appendix;
  append_section(draft_, std::move(section));
}

void Reader::command() {
  const Place place = scanner_.place();
  const std::string written = scanner_.command_name();
  if (written.empty()) return;
  const std::string name = macros_.target(written);
  if (const Macro* macro = macros_.find(name)) {
    if (++calls_in_a_row_ > kCallsInARow || bytes_expanded_ > kExpandedBytes || scanner_.depth() > 200) {
      if (calls_in_a_row_ <= kCallsInARow + 1) problem(place, "\\" + name + " expands without end; it is passed over");
      return;
    }
    bytes_expanded_ += MacroTable::expand(*macro, scanner_);
    return;
  }
  if (macros_.define(name, scanner_) || citation(name) || file_command(name) || conditional(name) || layout_command(name)) return;
  if (const char* mark = accent(name)) {
    put_accent(mark);
  } else if (const char* text = symbol(name)) {
    if (std::string_view(text) == "\n\n") {
      put_paragraph();
    } else if (std::string_view(text) == " ") {
      put_space();
    } else {
      put(text);
    }
    std::string skipped;
    if (name == "\\" && !scanner_.at_end() && scanner_.rest().front() == '[') (void)scanner_.bracket(skipped, 32);
  }
  // TeX swallows the white space behind a command made of letters.
  if (is_letters(name) && !scanner_.empty() && !scanner_.at_end()) {
    const std::string_view rest = scanner_.rest();
    std::size_t i = 0;
    while (i < rest.size() && (rest[i] == ' ' || rest[i] == '\t')) ++i;
    scanner_.skip(i);
  }
}

bool Reader::layout_command(const std::string& name) {
  std::string skipped;
  if (const int level = heading_level(name); level >= 0) {
    scanner_.star();
    (void)scanner_.bracket(skipped);
    open_group(Closing::heading, level);
    return true;
  }
  if (name == "title" || name == "icmltitle" || name == "aistatstitle" || name == "Title") {
    scanner_.star();
    (void)scanner_.bracket(skipped);
    open_group(Closing::title);
  } else if (name == "author" || name == "authors" || name == "Author") {
    (void)scanner_.bracket(skipped);
    if (scanner_.argument(skipped, kLongestAuthors)) {
      add_authors(skipped);
    } else {
      open_group(Closing::discard);
    }
  } else if (name == "icmlauthor") {
    if (scanner_.argument(skipped)) add_authors(skipped);
    (void)scanner_.argument(skipped);
  } else if (name == "abstract") {
    add_section("Abstract", 1);
    open_group(Closing::abstract);
  } else if (name == "footnote" || name == "footnotetext") {
    (void)scanner_.bracket(skipped);
    put(" (");
    open_group(Closing::footnote);
  } else if (name == "caption" || name == "captionof") {
    put_paragraph();
    scanner_.star();
    if (name == "captionof") (void)scanner_.argument(skipped);
    (void)scanner_.bracket(skipped);
  } else if (name == "appendix") {
    in_appendix_ = true;
  } else if (name == "verb" || name == "lstinline") {
    scanner_.star();
    if (scanner_.at_end()) return true;
    const std::string_view rest = scanner_.rest();
    const char mark = rest.front() == '{' ? '}' : rest.front();
    const std::size_t end = rest.substr(0, rest.find('\n')).find(mark, 1);
    if (end != std::string_view::npos) scanner_.skip(end + 1);
  } else if (const int count = arguments_without_text(name); count >= 0) {
    scanner_.star();
    for (int i = 0; i < count; ++i) {
      (void)scanner_.bracket(skipped);
      if (!scanner_.argument(skipped, 16'384)) break;
    }
  } else {
    return false;
  }
  return true;
}

void Reader::add_authors(std::string_view block) {
  constexpr std::size_t kMost = 500;
  for (std::string& name : names_in_author_block(block)) {
    if (draft_.authors.size() < kMost) draft_.authors.push_back(std::move(name));
  }
}

void Reader::finish() {
  for (const Group& group : groups_) {
    if (group.closing == Closing::nothing) continue;
    problem(group.place, "a brace is never closed");
    if (group.closing == Closing::abstract) finish_group(group);
  }
  groups_.clear();
  if (const auto& open = environments_; !open.empty()) {
    problem(open.back().place, "\\begin{" + open.back().name + "} is never ended");
  }
  draft_.mentions.shrink_to_fit();
  while (!draft_.text.empty() && (draft_.text.back() == ' ' || draft_.text.back() == '\n')) draft_.text.pop_back();
  finish_sections(draft_);
  place_mentions(draft_);
  read_bibliography_files();
  if (draft_.title.empty()) problem({}, "the draft has no title");
  if (draft_.abstract.empty()) problem({}, "the draft has no abstract");
}

}  // namespace mustcite::audit::latex
