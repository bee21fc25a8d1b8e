#include "engine/evaluate/qrels.hpp"

#include <algorithm>
#include <charconv>
#include <unordered_map>
#include <unordered_set>

#include "core/base/error.hpp"

namespace mustcite::evaluate {
namespace {

struct Line {
  std::string_view query, document;
  int relevance = 0;
};

/// Reads the lines one by one and remembers which of the two layouts the file has.
class QrelsParser {
 public:
  QrelsParser(const TrecText& text, const std::filesystem::path& name) : text_(text), name_(name) {}

  /// The next judgement; false at the end.
  bool next(Line& line) {
    const std::string_view text = text_.view();
    while (at_ < text.size()) {
      begin_ = at_;
      const std::size_t newline = text.find('\n', at_);
      const std::size_t end = newline == std::string_view::npos ? text.size() : newline;
      at_ = end + 1;
      if (read(text.substr(begin_, end - begin_), line)) return true;
    }
    return false;
  }

 private:
  bool read(std::string_view text, Line& line) {
    std::string_view column[5];
    const char* at = text.data();
    std::size_t columns = 0;
    while (columns < 5 && !(column[columns] = next_column(at, text.data() + text.size())).empty()) ++columns;
    if (columns == 0) return false;
    if (columns_ == 0) {
      columns_ = columns;
      if (columns == 3 && column[0] == "query-id") return false;
    }
    if (columns != columns_ || (columns != 3 && columns != 4)) refuse_columns(count_columns(text));
    line.query = column[0];
    line.document = column[columns - 2];
    read_relevance(column[columns - 1], line.relevance);
    return true;
  }

  void read_relevance(std::string_view text, int& relevance) const {
    const std::string_view whole = text;
    if (text.starts_with('+')) text.remove_prefix(1);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), relevance);
    if (error == std::errc{} && end == text.data() + text.size()) return;
    fail(ErrorCode::invalid_input,
         "{}:{} has the relevance {}; it is a whole number, 0 for not relevant: correct the line",
         name_.string(), text_.line_of(begin_), in_quotes(whole));
  }

  [[noreturn]] void refuse_columns(std::size_t columns) const {
    const char* hint = columns == 6 ? "; if this is a run, give it as --run" : "";
    if (columns_ == 3 || columns_ == 4) {
      fail(ErrorCode::invalid_input,
           "{}:{} has {} columns where the lines before have {}: correct the line{}", name_.string(),
           text_.line_of(begin_), columns, columns_, hint);
    }
    fail(ErrorCode::invalid_input,
         "{}:{} has {} columns; a line of qrels has four, `query 0 document relevance`, or BEIR's three, "
         "`query-id "
         "corpus-id score`{}",
         name_.string(), text_.line_of(begin_), columns, hint);
  }

  const TrecText& text_;
  const std::filesystem::path& name_;
  std::size_t at_ = 0;
  std::size_t begin_ = 0;
  std::size_t columns_ = 0;
};

/// Moves each query's judgements together, in file order.
void group(const std::vector<Line>& lines, Qrels& out) {
  std::unordered_map<std::string_view, std::size_t> index;
  std::vector<std::size_t> query_of(lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i > 0 && lines[i].query == lines[i - 1].query) {
      query_of[i] = query_of[i - 1];
    } else {
      const auto [found, added] = index.emplace(lines[i].query, out.queries.size());
      if (added) out.queries.push_back({lines[i].query, 0, 0});
      query_of[i] = found->second;
    }
    ++out.queries[query_of[i]].count;
  }
  std::vector<std::size_t> order(out.queries.size());
  for (std::size_t q = 0; q < order.size(); ++q) order[q] = q;
  std::sort(order.begin(), order.end(),
            [&](auto a, auto b) { return out.queries[a].id < out.queries[b].id; });
  std::vector<std::size_t> next(order.size());
  std::size_t total = 0;
  for (const auto q : order) {
    out.queries[q].begin = next[q] = total;
    total += out.queries[q].count;
  }
  out.judgements.resize(total);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    out.judgements[next[query_of[i]]++] = {lines[i].document, hash_id(lines[i].document), lines[i].relevance};
  }
  std::sort(out.queries.begin(), out.queries.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
}

[[noreturn]] void refuse_duplicate(const Qrels& qrels, std::string_view query, std::string_view first,
                                   std::string_view second) {
  const char* const start = qrels.text.view().data();
  fail(ErrorCode::invalid_input,
       "{}: query {} judges document {} twice (lines {} and {}). Keep one of them, or pass --lenient to keep "
       "the first",
       qrels.path.string(), in_quotes(query), in_quotes(second),
       qrels.text.line_of(static_cast<std::size_t>(first.data() - start)),
       qrels.text.line_of(static_cast<std::size_t>(second.data() - start)));
}

void drop_duplicates(Qrels& qrels, bool lenient) {
  std::unordered_set<std::string_view> seen;
  for (auto& query : qrels.queries) {
    seen.clear();
    Judgement* judgements = qrels.judgements.data() + query.begin;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < query.count; ++i) {
      const auto [first, added] = seen.insert(judgements[i].document);
      if (added) {
        judgements[kept++] = judgements[i];
        continue;
      }
      if (!lenient) refuse_duplicate(qrels, query.id, *first, judgements[i].document);
      ++qrels.duplicates;
    }
    query.count = kept;
  }
}

}  // namespace

const JudgedQuery* Qrels::find(std::string_view query_id) const noexcept {
  const auto found =
      std::lower_bound(queries.begin(), queries.end(), query_id,
                       [](const JudgedQuery& query, std::string_view id) { return query.id < id; });
  return found != queries.end() && found->id == query_id ? &*found : nullptr;
}

Qrels parse_qrels(TrecText text, const std::filesystem::path& name, const ReadOptions& options) {
  Qrels qrels;
  qrels.name = display_name(name);
  qrels.path = name;
  qrels.text = std::move(text);
  std::vector<Line> lines;
  QrelsParser parser(qrels.text, qrels.path);
  for (Line line; parser.next(line);) lines.push_back(line);
  if (lines.empty()) {
    fail(ErrorCode::invalid_input, "{} holds no judgement: nothing can be evaluated against it",
         name.string());
  }
  group(lines, qrels);
  drop_duplicates(qrels, options.lenient);
  if (qrels.duplicates > 0) {
    qrels.notes.push_back(fmt::format("{}: {} lines judge a pair again; the first of each is kept",
                                      qrels.name, qrels.duplicates));
  }
  return qrels;
}

Qrels read_qrels(const std::filesystem::path& path, const ReadOptions& options) {
  return parse_qrels(TrecText(path), path == "-" ? std::filesystem::path("standard input") : path, options);
}

}  // namespace mustcite::evaluate
