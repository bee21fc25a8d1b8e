#include <algorithm>
#include <cctype>

#include "apps/audit/bibliography.hpp"
#include "apps/audit/numbered_references.hpp"
#include "apps/audit/read_draft.hpp"
#include "apps/audit/sentences.hpp"
#include "core/text/normalise.hpp"

namespace mustcite::audit {
namespace {

constexpr std::size_t kMostMentions = 200'000;

std::string_view trimmed(std::string_view text, std::string_view also = "") {
  const auto drop = [&](char c) { return static_cast<unsigned char>(c) <= ' ' || also.find(c) != std::string_view::npos; };
  while (!text.empty() && drop(text.front())) text.remove_prefix(1);
  while (!text.empty() && drop(text.back())) text.remove_suffix(1);
  return text;
}

/// Pandoc's key characters: letters, digits, _ and, inside, :.#$%&-+?<>~/
bool is_key_char(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return std::isalnum(byte) != 0 || c == '_' || byte >= 0x80 || std::string_view(":.#$%&-+?<>~/").find(c) != std::string_view::npos;
}

void append(std::string& text, std::string_view more) {
  if (!text.empty()) text += ' ';
  text += more;
}

class MarkdownReader {
 public:
  MarkdownReader(std::string_view content, const std::string& file, const SourceTree& tree) : content_(content), tree_(tree) {
    draft_.format = DraftFormat::markdown;
    draft_.main_file = file;
    draft_.files.push_back(file);
  }

  Draft read() {
    if (content_.starts_with("\xEF\xBB\xBF")) content_.remove_prefix(3);
    front_matter();
    while (next_line()) body_line();
    finish_sections(draft_);
    if (!references_.empty()) read_numbered_references(references_, draft_.main_file, draft_);
    if (draft_.printed_bibliography) mark_numbers(draft_);
    std::stable_sort(draft_.mentions.begin(), draft_.mentions.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
    place_mentions(draft_);
    for (const auto& name : bibliographies_) bibliography(name);
    for (const auto& [empty, what] : {std::pair{draft_.title.empty(), "the draft has no title"}, {draft_.abstract.empty(), "the draft has no abstract"},
                                      {draft_.bibliography.empty(), "the draft has no bibliography"}}) {
      if (empty) draft_.note(draft_.main_file, 0, what);
    }
    return std::move(draft_);
  }

 private:
  bool next_line() {
    if (at_ >= content_.size()) return false;
    const std::size_t end = std::min(content_.find('\n', at_), content_.size());
    line_ = content_.substr(at_, end - at_);
    if (!line_.empty() && line_.back() == '\r') line_.remove_suffix(1);
    at_ = end + 1;
    ++number_;
    return true;
  }

  void front_matter() {
    if (!content_.starts_with("---\n") && !content_.starts_with("---\r\n")) return;
    next_line();
    std::string name;
    while (next_line() && line_ != "---" && line_ != "...") {
      const std::size_t colon = line_.find(':');
      const bool indented = !line_.empty() && (line_.front() == ' ' || line_.front() == '-');
      std::string_view value = line_;
      if (!indented && colon != std::string_view::npos) {
        name = text::fold(trimmed(line_.substr(0, colon)));
        value = line_.substr(colon + 1);
      }
      value = trimmed(value, name == "abstract" && indented ? "" : "\"'[]-");
      if (value == "|" || value == ">" || value.empty()) continue;
      if (name == "title") append(draft_.title, value);
      if (name == "abstract") append(draft_.abstract, value);
      if (name == "bibliography") {
        std::size_t from = 0;
        while (from <= value.size() && bibliographies_.size() < 100) {
          const std::size_t comma = std::min(value.find(',', from), value.size());
          bibliographies_.emplace_back(trimmed(value.substr(from, comma - from), "\"'"));
          from = comma + 1;
        }
      }
    }
  }

  void body_line() {
    if (line_.starts_with("```") || line_.starts_with("~~~")) {
      in_code_ = !in_code_;
      return;
    }
    if (in_code_) return;
    if (in_comment_ || line_.starts_with("<!--")) {
      in_comment_ = line_.find("-->") == std::string_view::npos;
      return;
    }
    if (line_.starts_with('#')) {
      heading();
      return;
    }
    if (in_references_) {
      references_.push_back({std::string(line_), number_});
      return;
    }
    if (trimmed(line_).empty()) {
      if (!draft_.text.empty() && draft_.text.back() != '\n') draft_.text += "\n\n";
      return;
    }
    if (!draft_.text.empty() && draft_.text.back() != '\n') draft_.text += ' ';
    inline_text(trimmed(line_));
  }

  void heading() {
    const std::size_t level = line_.find_first_not_of('#');
    std::string_view title = trimmed(line_.substr(std::min(level, line_.size())), "#*");
    if (const std::size_t attributes = title.find(" {"); attributes != std::string_view::npos) title = title.substr(0, attributes);
    if (level == 1 && draft_.title.empty() && draft_.sections.empty()) {
      draft_.title = std::string(title);
      return;
    }
    const std::string folded = text::fold(title);
    in_references_ = folded == "references" || folded == "bibliography" || folded == "literature";
    if (in_references_) return;
    if (!draft_.text.empty() && draft_.text.back() != '\n') draft_.text += "\n\n";
    Section section;
    section.title = std::string(title);
    section.level = static_cast<int>(std::min<std::size_t>(level, 4));
    section.kind = section_kind(title);
    section.begin = draft_.text.size();
    section.where = {draft_.main_file, number_};
    append_section(draft_, std::move(section));
  }

  void mention(std::string_view key, std::string_view command, std::size_t begin, std::size_t end) {
    if (key.empty() || key.size() > 300 || draft_.mentions.size() >= kMostMentions) return;
    DraftMention item;
    item.key = std::string(key);
    item.command = std::string(command);
    item.begin = begin;
    item.end = end;
    item.where = {draft_.main_file, number_};
    draft_.mentions.push_back(std::move(item));
  }

  /// Adds a line of text; citations become mentions where they stand.
  void inline_text(std::string_view line) {
    for (std::size_t i = 0; i < line.size();) {
      if (line[i] == '`') {
        const std::size_t end = line.find('`', i + 1);
        if (end != std::string_view::npos) {
          i = end + 1;
          continue;
        }
      } else if (line[i] == '@' && (i == 0 || std::isalnum(static_cast<unsigned char>(line[i - 1])) == 0)) {
        i += pandoc_key(line.substr(i));
        continue;
      } else if (line[i] == '\\' && line.substr(i).starts_with("\\cite")) {
        if (const std::size_t size = latex_citation(line.substr(i)); size != 0) {
          i += size;
          continue;
        }
      }
      draft_.text += line[i++];
    }
  }

  std::size_t pandoc_key(std::string_view text) {
    const std::size_t begin = draft_.text.size();
    std::size_t end = 1;
    std::string_view key;
    if (text.size() > 1 && text[1] == '{') {
      const std::size_t close = text.find('}');
      if (close != std::string_view::npos) {
        key = text.substr(2, close - 2);
        end = close + 1;
      }
    } else {
      while (end < text.size() && is_key_char(text[end])) ++end;
      // Punctuation ends a key only when something of the key follows it.
      while (end > 1 && std::string_view(":.#$%&-+?<>~/").find(text[end - 1]) != std::string_view::npos) --end;
      key = text.substr(1, end - 1);
    }
    draft_.text += text.substr(0, end);
    mention(key, "@", begin, draft_.text.size());
    return end;
  }

  std::size_t latex_citation(std::string_view text) {
    const std::size_t open = text.find('{');
    const std::size_t close = text.find('}');
    if (open == std::string_view::npos || close == std::string_view::npos || close < open || open > 200) return 0;
    const std::size_t name = std::min(text.find_first_of("[{*"), open);
    const std::size_t begin = draft_.text.size();
    const std::string_view list = text.substr(open + 1, close - open - 1);
    draft_.text += '[';
    draft_.text += list;
    draft_.text += ']';
    std::size_t from = 0;
    while (from <= list.size()) {
      const std::size_t comma = std::min(list.find(',', from), list.size());
      mention(trimmed(list.substr(from, comma - from)), text.substr(1, name - 1), begin, draft_.text.size());
      from = comma + 1;
    }
    return close + 1;
  }

  void bibliography(const std::string& name) {
    std::string content;
    switch (tree_.read(name, content)) {
      case SourceTree::Found::yes:
        draft_.files.push_back(name);
        read_bib(content, name, draft_);
        break;
      case SourceTree::Found::outside:
        draft_.note(draft_.main_file, 0, name + " lies outside the draft's folder; it is not read (--allow-outside reads it)");
        break;
      case SourceTree::Found::too_large:
        draft_.note(draft_.main_file, 0, name + " is too large to be read");
        break;
      case SourceTree::Found::no:
        draft_.note(draft_.main_file, 0, "the bibliography " + name + " is not there");
    }
  }

  std::string_view content_;
  const SourceTree& tree_;
  Draft draft_;
  std::vector<std::string> bibliographies_;
  std::vector<NumberedLine> references_;
  std::size_t at_ = 0;
  std::string_view line_;
  std::uint32_t number_ = 0;
  bool in_code_ = false;
  bool in_comment_ = false;
  bool in_references_ = false;
};

}  // namespace

Draft read_markdown(std::string_view content, const std::string& file, const SourceTree& tree) {
  return MarkdownReader(content, file, tree).read();
}

}  // namespace mustcite::audit
