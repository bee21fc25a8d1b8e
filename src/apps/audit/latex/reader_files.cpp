#include <algorithm>
#include <array>

#include "apps/audit/bibliography.hpp"
#include "apps/audit/latex/reader_state.hpp"
#include "apps/audit/sentences.hpp"
#include "core/text/normalise.hpp"

namespace mustcite::audit::latex {
namespace {

constexpr std::size_t kDeepestFile = 40;
constexpr std::size_t kDeepestEnvironment = 10'000;
constexpr std::size_t kWasteLimit = std::size_t{64} << 20;

std::string trimmed(std::string_view text) {
  while (!text.empty() && (static_cast<unsigned char>(text.front()) <= ' ' || text.front() == '"')) text.remove_prefix(1);
  while (!text.empty() && (static_cast<unsigned char>(text.back()) <= ' ' || text.back() == '"')) text.remove_suffix(1);
  return std::string(text);
}

}  // namespace

void Reader::push_file(const std::string& path, std::string content) {
  bytes_read_ += content.size();
  if (!text::is_valid_utf8(content)) {
    content = latin1_to_utf8(content);
    draft_.note(path, 0, "the file is not UTF-8; it is read as Latin-1");
  }
  const auto known = std::find(file_names_.begin(), file_names_.end(), path);
  const auto number = static_cast<std::uint32_t>(known - file_names_.begin());
  if (known == file_names_.end()) {
    file_names_.push_back(path);
    draft_.files.push_back(path);
  }
  file_text_begin_.push_back(draft_.text.size());
  scanner_.push_file(std::move(content), number);
}

void Reader::input(std::string name, const std::string& folder) {
  const Place place = scanner_.place();
  name = trimmed(name);
  if (name.empty()) return;
  if (name.find_first_of("\\#{}") != std::string::npos) {
    problem(place, "the name of an input file is made by a macro: " + name.substr(0, 80));
    return;
  }
  const std::string& current = file_names_[scanner_.file()];
  const std::size_t slash = current.rfind('/');
  const std::string beside = slash == std::string::npos ? "" : current.substr(0, slash + 1);
  bool outside = false;
  for (const std::string& base : {main_folder_ + folder, beside + folder}) {
    for (const char* ending : {".tex", ""}) {
      if (*ending == '\0' && name.find('.') == std::string::npos) continue;
      const bool absolute = name.front() == '/';
      const std::string path = (absolute ? "" : base) + name + ending;
      const std::string normal = normal_path(path);
      std::string content;
      const auto found = tree_.read(path, content);
      if (found == SourceTree::Found::no) continue;
      if (found == SourceTree::Found::outside) {
        outside = true;
        continue;
      }
      if (found == SourceTree::Found::too_large || bytes_read_ + content.size() > limits_.total_bytes) {
        problem(place, name + " is too large to be read");
        return;
      }
      const std::string& shown = normal.empty() ? path : normal;
      const auto known = std::find(file_names_.begin(), file_names_.end(), shown);
      if (known != file_names_.end() && scanner_.has_file(static_cast<std::uint32_t>(known - file_names_.begin()))) {
        problem(place, shown + " reads itself; the circle is cut here");
      } else if (scanner_.file_depth() >= kDeepestFile) {
        problem(place, "files are nested too deep; " + shown + " is not read");
      } else {
        push_file(shown, std::move(content));
      }
      return;
    }
  }
  if (const auto found = embedded_.find(name); found != embedded_.end()) {
    if (scanner_.file_depth() < kDeepestFile && bytes_read_ + found->second.size() <= limits_.total_bytes) push_file(name, found->second);
  } else if (outside) {
    problem(place, name + " lies outside the draft's folder; it is not read (--allow-outside reads it)");
  } else {
    problem(place, name + " is not there");
  }
}

bool Reader::file_command(const std::string& name) {
  std::string argument;
  if (name == "input" || name == "include" || name == "subfile" || name == "InputIfFileExists" || name == "subfileinclude") {
    scanner_.skip_to_argument();
    if (scanner_.empty() || scanner_.at_end()) return true;
    if (scanner_.rest().front() == '{') {
      if (scanner_.argument(argument, 1024)) {
        input(argument, "");
      } else {
        problem(scanner_.place(), "\\" + name + " without a closing brace");
      }
    } else if (name == "input") {  // \input file
      const std::string_view rest = scanner_.rest();
      const std::size_t end = std::min(rest.find_first_of(" \t\r\n}\\{"), rest.size());
      argument = rest.substr(0, end);
      scanner_.skip(end);
      input(argument, "");
    }
  } else if (name == "import" || name == "subimport" || name == "includefrom" || name == "inputfrom") {
    scanner_.star();
    std::string folder;
    if (scanner_.argument(folder, 1024) && scanner_.argument(argument, 1024)) {
      folder = trimmed(folder);
      if (!folder.empty() && folder.back() != '/') folder += '/';
      input(argument, folder);
    }
  } else if (name == "bibliography" || name == "addbibresource" || name == "addglobalbib" || name == "nobibliography") {
    scanner_.star();
    std::string skipped;
    (void)scanner_.bracket(skipped);
    if (scanner_.argument(argument, 4096)) bibliography_names(without_comments(argument));
  } else if (name == "begin") {
    begin_environment();
  } else if (name == "end") {
    end_environment();
  } else {
    return false;
  }
  return true;
}

void Reader::bibliography_names(std::string_view list) {
  std::size_t from = 0;
  while (from <= list.size() && bibliography_files_.size() < 100) {
    const std::size_t comma = std::min(list.find(',', from), list.size());
    std::string name = trimmed(list.substr(from, comma - from));
    from = comma + 1;
    if (name.empty() || name.find_first_of("\\#{}") != std::string::npos) continue;
    if (!name.ends_with(".bib") && !name.ends_with(".bbl")) name += ".bib";
    if (std::find(bibliography_files_.begin(), bibliography_files_.end(), name) == bibliography_files_.end()) {
      bibliography_files_.push_back(std::move(name));
    }
  }
}

void Reader::begin_environment() {
  std::string name;
  std::string skipped;
  const Place place = scanner_.place();
  if (!scanner_.argument(name, 200)) {
    problem(place, "\\begin without a name");
    return;
  }
  if (name == "document") {
    begin_document();
    return;
  }
  if (is_verbatim_environment(name)) {
    verbatim_environment(name);
    return;
  }
  if (name == "thebibliography") {
    bibliography_environment();
    return;
  }
  if (environments_.size() < kDeepestEnvironment) environments_.push_back({name, draft_.text.size(), place});
  if (name == "abstract" || name == "Abstract") {
    add_section("Abstract", 1);
    environments_.back().begin = draft_.text.size();
    return;
  }
  if (name == "appendices" || name == "appendix") in_appendix_ = true;
  (void)scanner_.bracket(skipped, 1000);
  for (int i = environment_arguments(name); i > 0; --i) {
    if (!scanner_.argument(skipped)) break;
    (void)scanner_.bracket(skipped, 1000);
  }
  put_space();
}

void Reader::begin_document() {
  if (scanner_.file_depth() == 1) {
    has_document_ = true;
    draft_.sections.clear();
  }
  // What stands before is a preamble, no text.
  cut_text(file_text_begin_.back());
  std::erase_if(draft_.sections, [&](const Section& s) { return s.begin > draft_.text.size(); });
  environments_.push_back({"document", draft_.text.size(), scanner_.place()});
}

void Reader::end_environment() {
  std::string name;
  const Place place = scanner_.place();
  if (!scanner_.argument(name, 200)) {
    problem(place, "\\end without a name");
    return;
  }
  // Look a little way down: one forgotten \end must not hide the others.
  const std::size_t reach = std::min<std::size_t>(environments_.size(), 8);
  std::size_t back = 0;
  while (back < reach && environments_[environments_.size() - 1 - back].name != name) ++back;
  if (back == reach) {
    problem(place, "\\end{" + name.substr(0, 60) + "} without a beginning");
  } else {
    for (; back > 0; --back) {
      problem(environments_.back().place, "\\begin{" + environments_.back().name.substr(0, 60) + "} is never ended");
      environments_.pop_back();
    }
    const std::size_t begin = std::min(environments_.back().begin, draft_.text.size());
    environments_.pop_back();
    if (name == "abstract" || name == "Abstract") {
      draft_.abstract = without_markers(draft_, begin, draft_.text.size());
      put_paragraph();
      // Text behind the abstract and before the first heading belongs to no section.
      add_section("", 1);
    }
  }
  if (name == "document") {
    set_aside(scanner_.rest(), 0, "after \\end{document}");
    scanner_.end_file();
    return;
  }
  put_space();
}

void Reader::verbatim_environment(const std::string& name) {
  std::string file;
  const Place place = scanner_.place();
  if (name.starts_with("filecontents")) {
    std::string skipped;
    (void)scanner_.bracket(skipped);
    (void)scanner_.argument(file, 300);
  }
  if (scanner_.empty()) return;
  const std::string_view rest = scanner_.rest();
  const std::string ending = "\\end{" + name + "}";
  const std::size_t end = wasted_ > kWasteLimit ? std::string_view::npos : rest.find(ending);
  if (end == std::string_view::npos) {
    wasted_ += rest.size();
    problem(place, "\\begin{" + name + "} is never ended; what follows is read as text");
    return;
  }
  if (!file.empty()) {
    if (embedded_.size() < 100) embedded_[trimmed(file)] = std::string(rest.substr(0, end));
  } else if (rest.substr(0, end).find("cite") != std::string_view::npos) {
    set_aside(rest.substr(0, end), 0, name == "comment" ? "in a comment" : "in verbatim text");
  }
  scanner_.skip(end + ending.size());
}

void Reader::bibliography_environment() {
  std::string widest;
  const SourcePosition where = position(scanner_.place());
  (void)scanner_.argument(widest, 4096);
  if (scanner_.empty()) return;
  const std::string_view rest = scanner_.rest();
  constexpr std::string_view kEnding = "\\end{thebibliography}";
  std::size_t end = rest.find(kEnding);
  if (end == std::string_view::npos) {
    problem(scanner_.place(), "\\begin{thebibliography} is never ended; its entries go to the end of the file");
    end = rest.size();
  }
  read_bibitems(rest.substr(0, end), where, draft_);
  scanner_.skip(std::min(rest.size(), end + kEnding.size()));
}

void Reader::read_bibliography_files() {
  std::vector<std::string> missing;
  for (const std::string& name : bibliography_files_) {
    std::string content;
    const std::string path = normal_path(main_folder_ + name).empty() ? name : normal_path(main_folder_ + name);
    auto found = tree_.read(path, content);
    if (found == SourceTree::Found::no && embedded_.contains(name)) {
      content = embedded_[name];
      found = SourceTree::Found::yes;
    }
    if (found == SourceTree::Found::yes && bytes_read_ + content.size() <= limits_.total_bytes) {
      bytes_read_ += content.size();
      draft_.files.push_back(path);
      read_bib(content, path, draft_);
    } else if (found == SourceTree::Found::outside) {
      problem({}, name + " lies outside the draft's folder; it is not read (--allow-outside reads it)");
    } else if (found == SourceTree::Found::no) {
      missing.push_back(name);
    } else {
      problem({}, name + " is too large to be read");
    }
  }
  if (draft_.bibliography.empty()) {
    // What BibTeX made from databases that are not here.
    std::string path = draft_.main_file.substr(0, draft_.main_file.rfind('.')) + ".bbl";
    std::string content;
    if (tree_.read(path, content) == SourceTree::Found::yes) {
      draft_.files.push_back(path);
      read_bbl(content, path, draft_);
      missing.clear();
    }
  }
  for (const std::string& name : missing) problem({}, "the bibliography " + name + " is not there");
  if (draft_.bibliography.empty()) problem({}, "the draft has no bibliography");
}

bool Reader::conditional(const std::string& name) {
  if (name == "newif") {
    scanner_.skip_to_argument();
    if (scanner_.empty() || scanner_.at_end() || scanner_.rest().front() != '\\') return true;
    const std::string flag = scanner_.command_name();
    if (flag.size() > 2 && flag.starts_with("if") && flags_.size() < 10'000) flags_[flag.substr(2)] = false;
    return true;
  }
  if (name == "fi") {
    if (!branches_.empty()) branches_.pop_back();
    return true;
  }
  if (name == "else") {
    if (!branches_.empty() && branches_.back() == Branch::taken && skip_branch(false)) branches_.pop_back();
    return true;
  }
  for (const bool value : {true, false}) {
    const std::string_view ending = value ? "true" : "false";
    if (!name.ends_with(ending)) continue;
    if (const auto flag = flags_.find(name.substr(0, name.size() - ending.size())); flag != flags_.end()) {
      flag->second = value;
      return true;
    }
  }
  if (!name.starts_with("if")) return false;
  const auto flag = flags_.find(name.substr(2));
  const bool known = flag != flags_.end() || name == "iffalse" || name == "iftrue";
  if (!known) {
    if (!is_tex_conditional(name)) return false;
    // Whether it holds is not known here: both branches are read, so that no citation is lost.
    if (branches_.size() < kDeepestEnvironment) branches_.push_back(Branch::unknown);
    return true;
  }
  const bool holds = flag != flags_.end() ? flag->second : name == "iftrue";
  if (holds) {
    if (branches_.size() < kDeepestEnvironment) branches_.push_back(Branch::taken);
    return true;
  }
  (void)skip_branch(true);
  return true;
}

bool Reader::skip_branch(bool stop_at_else) {
  if (scanner_.empty() || scanner_.at_end()) return false;
  const Place place = scanner_.place();
  const std::string_view rest = scanner_.rest();
  std::size_t depth = 0;
  std::size_t at = 0;
  while (wasted_ <= kWasteLimit && at < rest.size()) {
    at = rest.find_first_of("\\%", at);
    if (at == std::string_view::npos) break;
    if (rest[at] == '%') {
      at = std::min(rest.find('\n', at), rest.size());
      continue;
    }
    std::size_t end = at + 1;
    while (end < rest.size() && ((rest[end] >= 'a' && rest[end] <= 'z') || (rest[end] >= 'A' && rest[end] <= 'Z') || rest[end] == '@')) ++end;
    const std::string_view name = rest.substr(at + 1, end - at - 1);
    at = std::max(end, at + 2);
    if (is_tex_conditional(name) || (name.starts_with("if") && flags_.contains(std::string(name.substr(2))))) {
      ++depth;
    } else if ((name == "fi" || (name == "else" && stop_at_else)) && depth == 0) {
      set_aside(rest.substr(0, end), 0, "in a part that is switched off");
      scanner_.skip(end);
      if (name == "else" && branches_.size() < kDeepestEnvironment) branches_.push_back(Branch::taken);
      return true;
    } else if (name == "fi") {
      --depth;
    }
  }
  wasted_ += rest.size();
  problem(place, "a conditional without its \\fi; what follows is read");
  return false;
}

}  // namespace mustcite::audit::latex
