#include "stages/extract/native/body.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>
#include <unordered_set>

#include "core/text/unicode.hpp"

namespace mustcite::extract::native {
namespace {

enum class Role { body, caption, note, small };

bool is_caption_start(const std::string& text) {
  for (const std::string_view word :
       {"Figure ", "Table ", "Fig. ", "FIG. ", "FIGURE ", "TABLE ", "Algorithm ", "Listing "}) {
    if (!std::string_view(text).starts_with(word)) continue;
    std::size_t at = word.size();
    while (at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '.') &&
           text[at] != ' ')
      ++at;
    const char last = text[at - 1];
    if (at > word.size() && (last == '.' || (at < text.size() && (text[at] == ':' || text[at] == '.')) ||
                             at == text.size() || word == "TABLE "))
      return true;
  }
  return false;
}

bool ends_sentence(const std::string& text) {
  const std::size_t last = text.find_last_not_of(" )]\"'0123456789");
  return last != std::string::npos &&
         (text[last] == '.' || text[last] == '!' || text[last] == '?' || text[last] == ':');
}

bool starts_small(const std::string& text) {
  std::size_t at = 0;
  while (at < text.size() && (text[at] == '(' || text[at] == '[')) ++at;
  if (at >= text.size()) return false;
  const char32_t code = text::decode(text, at);
  return code != text::kMalformed && text::is_letter(code) && !text::is_upper(code);
}

class BodyMaker {
 public:
  BodyMaker(const Flow& flow, const ReferenceList& list, Body& out) : flow_(flow), list_(list), out_(out) {
    collect_hyphenated();
    find_edges();
  }

  void section(const std::string& heading, int level) {
    close();
    if (!out_.text.empty()) out_.text += "\n\n";
    if (!out_.sections.empty()) out_.sections.back().span.end = out_.text.size();
    out_.sections.push_back({heading, {}, SectionKind::other, {out_.text.size(), 0}});
    out_.levels.push_back(level);
    out_.text += heading;
    fresh_ = true;
  }

  void line(std::size_t at, std::size_t skip_tokens) {
    const Role role = role_of(at);
    if (role == Role::body) {
      if (open_ && breaks(at)) close();
      append(at, skip_tokens);
      last_ = at;
      open_ = true;
    } else {
      if (waiting_.empty() || !joins_waiting(at, role)) waiting_.emplace_back();
      waiting_.back().push_back(at);
      waiting_role_ = role;
      if (!open_) flush();
    }
  }

  void finish() {
    close();
    flush();
    if (!out_.sections.empty()) out_.sections.back().span.end = out_.text.size();
  }

 private:
  /// Words that the paper writes with a hyphen inside a line: they keep it at a line's end.
  void collect_hyphenated() {
    for (std::size_t i = 0; i < flow_.size(); ++i) {
      for (const auto& token : flow_[i].tokens) {
        const std::size_t dash = token.text.find('-');
        if (dash != std::string::npos && dash > 0 && dash + 1 < token.text.size())
          hyphenated_.insert(plain(token.text));
      }
    }
  }

  static std::string plain(const std::string& word) {
    std::string key;
    for (const char c : word) {
      if (std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '-')
        key += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return key;
  }

  void find_edges() {
    std::map<std::pair<std::uint32_t, Column>, std::map<int, std::size_t>> lefts;
    for (std::size_t i = 0; i < flow_.size(); ++i) {
      if (std::fabs(flow_[i].size - flow_.layout().body_size) < 0.7F)
        ++lefts[{flow_[i].page, flow_[i].column}][static_cast<int>(std::lround(flow_[i].x0))];
    }
    for (const auto& [group, votes] : lefts) {
      const auto usual = std::max_element(votes.begin(), votes.end(),
                                          [](const auto& a, const auto& b) { return a.second < b.second; });
      edges_[group] = static_cast<float>(usual->first);
    }
  }

  Role role_of(std::size_t at) const {
    const Line& line = flow_[at];
    const float body = flow_.layout().body_size;
    const bool follows_waiting = !waiting_.empty() && waiting_.back().back() + 1 == at && flow_.follows(at);
    if (is_caption_start(flow_.text(at))) return Role::caption;
    if (follows_waiting && waiting_role_ == Role::caption &&
        std::fabs(line.size - flow_[at - 1].size) < 0.4F && line.y1 - flow_[at - 1].y1 < line.size * 1.5F)
      return Role::caption;
    if (line.size < body * 0.93F && !goes_on_in_body(at))
      return line.y0 > flow_.layout().pages[line.page - 1].height * 0.6F ? Role::note : Role::small;
    return Role::body;
  }

  /// A line mostly of code or small capitals in the middle of a sentence: some of its words are of the body's
  /// size, and it stands where the paragraph's next line would.
  bool goes_on_in_body(std::size_t at) const {
    if (!open_ || last_ + 1 != at || !flow_.follows(at) || ends_sentence(flow_.text(last_))) return false;
    const Line& line = flow_[at];
    if (line.y1 - flow_[last_].y1 > flow_.layout().body_leading * 1.3F) return false;
    return std::any_of(line.tokens.begin(), line.tokens.end(), [&](const Token& token) {
      return token.size >= flow_.layout().body_size * 0.95F && token.text.size() > 1;
    });
  }

  bool joins_waiting(std::size_t at, Role role) const {
    const std::size_t before = waiting_.back().back();
    if (before + 1 != at || !flow_.follows(at) || role != waiting_role_ || is_caption_start(flow_.text(at)))
      return false;
    const Line& line = flow_[at];
    if (line.y1 - flow_[before].y1 > line.size * 1.6F) return false;
    // A note begins with its raised mark.
    return !(role == Role::note &&
             (line.tokens.front().raised || line.tokens.front().size < line.size * 0.8F));
  }

  bool breaks(std::size_t at) const {
    const Line& line = flow_[at];
    const Line& before = flow_[last_];
    const std::string& text = flow_.text(at);
    const bool ended = ends_sentence(flow_.text(last_));
    if (text.starts_with("•") || text.starts_with("–") || text.starts_with("- ")) return true;
    const auto edge = edges_.find({line.page, line.column});
    const float indent = edge == edges_.end() ? 0 : line.x0 - edge->second;
    const bool same = line.page == before.page && line.column == before.column && line.y0 > before.y0;
    if (!same) return ended && !starts_small(text) && indent > line.size * 0.8F;
    const float step = line.y1 - before.y1;
    if (step > flow_.layout().body_leading * 1.35F)
      return ended || (!starts_small(text) && step > flow_.layout().body_leading * 1.8F && !mathy(last_));
    return ended && !starts_small(text) && indent > line.size * 0.8F && indent < line.size * 4;
  }

  bool mathy(std::size_t at) const {
    const auto& tokens = flow_[at].tokens;
    return std::any_of(tokens.begin(), tokens.end(), [](const Token& token) { return token.math; });
  }

  void append(std::size_t at, std::size_t skip_tokens) {
    const Line& line = flow_[at];
    for (std::size_t t = skip_tokens; t < line.tokens.size(); ++t)
      append_token(line.tokens[t], line.page, t == skip_tokens);
  }

  void append_token(const Token& token, std::uint32_t page, bool first_of_line) {
    std::string text = token.text;
    if (fresh_) {
      if (!out_.text.empty()) out_.text += "\n\n";
      fresh_ = false;
    } else if (first_of_line) {
      join(text);
    } else if (!token.glued) {
      out_.text += ' ';
    }
    out_.pieces.push_back({out_.text.size(), out_.text.size() + text.size(), page, token.x0, token.y0,
                           token.x1, token.y1, token.raised, token.math});
    out_.text += text;
  }

  /// Before the first word of a line: a space, or nothing where a hyphen joins it to the last one.
  void join(const std::string& next) {
    std::string& text = out_.text;
    const bool hyphen = text.size() >= 2 && text.back() == '-' &&
                        std::isalpha(static_cast<unsigned char>(text[text.size() - 2])) != 0;
    if (!hyphen || !(starts_small(next) || std::isalpha(static_cast<unsigned char>(next[0])) != 0)) {
      if (!text.ends_with("–") || std::isdigit(static_cast<unsigned char>(next[0])) == 0) text += ' ';
      return;
    }
    const std::size_t space =
        text.find_last_of(" \n") == std::string::npos ? 0 : text.find_last_of(" \n") + 1;
    const std::string last = text.substr(space, text.size() - 1 - space);
    if (starts_small(next) && !hyphenated_.contains(plain(last + "-" + next))) {
      text.pop_back();
      if (!out_.pieces.empty() && out_.pieces.back().end > text.size()) out_.pieces.back().end = text.size();
    }
  }

  void close() {
    if (open_) fresh_ = true;
    open_ = false;
    flush();
  }

  void flush() {
    for (const auto& block : waiting_) {
      fresh_ = true;
      for (const std::size_t at : block) append(at, 0);
      fresh_ = true;
    }
    waiting_.clear();
  }

  const Flow& flow_;
  const ReferenceList& list_;
  Body& out_;
  std::unordered_set<std::string> hyphenated_;
  std::map<std::pair<std::uint32_t, Column>, float> edges_;
  std::vector<std::vector<std::size_t>> waiting_;
  Role waiting_role_ = Role::body;
  std::size_t last_ = 0;
  bool open_ = false;
  bool fresh_ = false;
};

}  // namespace

Body make_body(const Flow& flow, const ReferenceList& list, const std::vector<Heading>& headings,
               std::size_t from) {
  Body body;
  BodyMaker maker(flow, list, body);
  std::map<std::size_t, const Heading*> by_line;
  for (const auto& heading : headings) by_line[heading.line] = &heading;
  if (from < flow.size() && !by_line.contains(from)) {
    body.sections.push_back({"", {}, SectionKind::other, {0, 0}});
    body.levels.push_back(1);
  }
  for (std::size_t i = from; i < flow.size(); ++i) {
    if (i == list.end && list.second != kNoLine) body.supplement = body.text.size();
    if (i == list.second) break;
    if (list.holds(i) || i == list.heading) continue;
    const auto heading = by_line.find(i);
    if (heading == by_line.end()) {
      maker.line(i, 0);
      continue;
    }
    maker.section(heading->second->text, heading->second->level);
    if (heading->second->tokens > 0) maker.line(i, heading->second->tokens);
    i += heading->second->lines - 1;
  }
  maker.finish();
  if (body.sections.empty()) {
    body.sections.push_back({"", {}, SectionKind::other, {0, body.text.size()}});
    body.levels.push_back(1);
  }
  body.sections.front().span.begin = 0;
  body.sections.back().span.end = body.text.size();
  return body;
}

}  // namespace mustcite::extract::native
