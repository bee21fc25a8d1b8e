#include "engine/evaluate/run_file.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <unordered_map>

#include "core/base/error.hpp"
#include "core/base/threads.hpp"

namespace mustcite::evaluate {
namespace {

// Below this a file is not worth a second thread.
constexpr std::size_t kMinChunkBytes = std::size_t{1} << 20;
constexpr std::size_t kMaxIdBytes = (std::size_t{1} << 24) - 1;

/// Neighbouring lines of one query, in file order.
struct Segment {
  std::string_view query;
  std::size_t begin = 0;
  std::size_t count = 0;
};

/// What one thread read from its part of the file.
struct Chunk {
  std::vector<Segment> segments;
  std::vector<RunResult> results;
  std::vector<std::int64_t> ranks;  // filled for Order::rank only
  // The first fault: where its line begins and what is wrong.
  std::size_t fault_offset = std::string_view::npos;
  std::string fault;
};

/// The double that trec_eval reads, then its float32. False for what is no finite number.
bool read_score(std::string_view column, float& score) {
  if (column.starts_with('+')) column.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(column.data(), column.data() + column.size(), value);
  if (error == std::errc::result_out_of_range) {
    value = std::strtod(std::string(column).c_str(), nullptr);  // tiny: zero or nearly; huge: infinite
  } else if (error != std::errc{}) {
    return false;
  }
  score = static_cast<float>(value);
  return end == column.data() + column.size() && std::isfinite(score);
}

std::string column_fault(std::string_view line) {
  const std::size_t columns = count_columns(line);
  return fmt::format(
      "has {} column{}; a line of a run has six, `query Q0 document rank score tag`, separated by blanks. "
      "Write ids "
      "and tag without blanks{}",
      columns, columns == 1 ? "" : "s",
      columns == 3 || columns == 4 ? "; if this is a qrels file, give it as --qrels" : "");
}

class ChunkParser {
 public:
  ChunkParser(std::string_view text, Order order, Chunk& out) : text_(text), order_(order), out_(out) {}

  /// Reads the lines that begin in [begin, end); stops at the first fault.
  void parse(std::size_t begin, std::size_t end) {
    out_.results.reserve((end - begin) / 40 + 16);
    while (begin < end) {
      const std::size_t newline = text_.find('\n', begin);
      const std::size_t line_end = newline == std::string_view::npos ? text_.size() : newline;
      if (!parse_line(begin, line_end)) return;
      begin = line_end + 1;
    }
  }

 private:
  bool parse_line(std::size_t begin, std::size_t end) {
    const char* at = text_.data() + begin;
    const char* const stop = text_.data() + end;
    const auto query = next_column(at, stop);
    if (query.empty()) return true;
    const auto iteration = next_column(at, stop);
    const auto document = next_column(at, stop);
    const auto rank = next_column(at, stop);
    const auto score_column = next_column(at, stop);
    const auto tag = next_column(at, stop);
    (void)iteration;
    const std::string_view line = text_.substr(begin, end - begin);
    if (tag.empty() || !next_column(at, stop).empty()) return fault(begin, column_fault(line));
    if (document.size() > kMaxIdBytes) return fault(begin, "has a document id of over 16 MB: this is no run");
    RunResult result{};
    if (!read_score(score_column, result.score)) {
      return fault(begin,
                   fmt::format("has the score {}; a score is a finite number that float32 can hold: drop "
                               "the line or write the score it should have",
                               in_quotes(score_column)));
    }
    if (order_ == Order::rank && !keep_rank(rank)) {
      return fault(begin,
                   fmt::format("has the rank {}; ordering by rank needs whole numbers: correct it or order "
                               "by score",
                               in_quotes(rank)));
    }
    result.offset =
        static_cast<std::uint64_t>(document.data() - text_.data()) & ((std::uint64_t{1} << 40) - 1);
    result.length = document.size() & kMaxIdBytes;
    result.hash = hash_id(document);
    if (out_.segments.empty() || out_.segments.back().query != query) {
      out_.segments.push_back({query, out_.results.size(), 0});
    }
    ++out_.segments.back().count;
    out_.results.push_back(result);
    return true;
  }

  bool keep_rank(std::string_view column) {
    std::int64_t rank = 0;
    const auto [end, error] = std::from_chars(column.data(), column.data() + column.size(), rank);
    if (error != std::errc{} || end != column.data() + column.size()) return false;
    out_.ranks.push_back(rank);
    return true;
  }

  bool fault(std::size_t offset, std::string message) {
    out_.fault_offset = offset;
    out_.fault = std::move(message);
    return false;
  }

  std::string_view text_;
  Order order_;
  Chunk& out_;
};

std::vector<Chunk> parse_chunks(std::string_view text, const ReadOptions& options) {
  const std::size_t threads = options.threads == 0 ? available_cores() : options.threads;
  const std::size_t count = std::clamp<std::size_t>(text.size() / kMinChunkBytes, 1, threads * 4);
  std::vector<std::size_t> bounds{0};
  for (std::size_t c = 1; c < count; ++c) {
    const std::size_t newline = text.find('\n', std::max(text.size() / count * c, bounds.back()));
    bounds.push_back(newline == std::string_view::npos ? text.size() : newline + 1);
  }
  bounds.push_back(text.size());
  std::vector<Chunk> chunks(count);
  parallel_for(count, threads, [&](std::size_t c, std::size_t) {
    ChunkParser(text, options.order, chunks[c]).parse(bounds[c], bounds[c + 1]);
  });
  return chunks;
}

/// Puts the segments of a query together: `out.results` in file order within each query.
std::vector<std::int64_t> merge(std::vector<Chunk>& chunks, std::size_t threads, RunFile& out) {
  struct Part {
    std::size_t chunk, segment;
  };
  std::unordered_map<std::string_view, std::size_t> index;
  std::vector<std::vector<Part>> parts;
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    for (std::size_t s = 0; s < chunks[c].segments.size(); ++s) {
      const auto query = chunks[c].segments[s].query;
      const auto [found, added] = index.emplace(query, parts.size());
      if (added) {
        parts.emplace_back();
        out.queries.push_back({query, 0, 0});
      }
      parts[found->second].push_back({c, s});
      out.queries[found->second].count += chunks[c].segments[s].count;
    }
  }
  std::vector<std::size_t> order(out.queries.size());
  for (std::size_t q = 0; q < order.size(); ++q) order[q] = q;
  std::sort(order.begin(), order.end(),
            [&](auto a, auto b) { return out.queries[a].id < out.queries[b].id; });
  std::size_t total = 0;
  for (const auto q : order) {
    out.queries[q].begin = total;
    total += out.queries[q].count;
  }
  out.results.resize(total);
  std::vector<std::int64_t> ranks(chunks.empty() || chunks[0].ranks.empty() ? 0 : total);
  parallel_for(order.size(), threads, [&](std::size_t q, std::size_t) {
    std::size_t at = out.queries[q].begin;
    for (const auto& [c, s] : parts[q]) {
      const auto& segment = chunks[c].segments[s];
      std::copy_n(chunks[c].results.begin() + static_cast<std::ptrdiff_t>(segment.begin), segment.count,
                  out.results.begin() + static_cast<std::ptrdiff_t>(at));
      if (!ranks.empty()) {
        std::copy_n(chunks[c].ranks.begin() + static_cast<std::ptrdiff_t>(segment.begin), segment.count,
                    ranks.begin() + static_cast<std::ptrdiff_t>(at));
      }
      at += segment.count;
    }
  });
  std::sort(out.queries.begin(), out.queries.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  return ranks;
}

struct Duplicate {
  std::size_t first = 0, second = 0;  // byte offsets of the two ids
};

/// Drops all but the first line of each document and closes the gaps. Returns the second lines.
std::vector<Duplicate> drop_duplicates(const RunFile& run, RunQuery& query, RunResult* results,
                                       std::int64_t* ranks, std::vector<std::uint32_t>& slots) {
  std::vector<Duplicate> dropped;
  const std::size_t size = std::bit_ceil(query.count * 2 + 2);
  slots.assign(size, 0);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < query.count; ++i) {
    const RunResult result = results[i];
    std::size_t slot = result.hash & (size - 1);
    bool again = false;
    for (; slots[slot] != 0 && !again; slot = (slot + 1) & (size - 1)) {
      const RunResult& other = results[slots[slot] - 1];
      if (other.hash == result.hash && run.document(other) == run.document(result)) {
        dropped.push_back({other.offset, result.offset});
        again = true;
      }
    }
    if (again) continue;
    results[kept] = result;
    if (ranks != nullptr) ranks[kept] = ranks[i];
    slots[slot] = static_cast<std::uint32_t>(++kept);
  }
  query.count = kept;
  return dropped;
}

/// Orders a query's results best first; true when they stood by falling score.
bool order_results(const RunFile& run, const RunQuery& query, RunResult* results, const std::int64_t* ranks) {
  const auto better = [&run](const RunResult& a, const RunResult& b) {
    if (a.score != b.score) return a.score > b.score;
    return run.document(a) > run.document(b);
  };
  bool falling = true;
  bool ordered = true;
  for (std::size_t i = 1; i < query.count; ++i) {
    falling &= results[i].score <= results[i - 1].score;
    ordered = ordered && better(results[i - 1], results[i]);
  }
  if (ranks != nullptr) {
    std::vector<std::size_t> by_rank(query.count);
    for (std::size_t i = 0; i < query.count; ++i) by_rank[i] = i;
    std::stable_sort(by_rank.begin(), by_rank.end(), [&](auto a, auto b) { return ranks[a] < ranks[b]; });
    const std::vector<RunResult> copy(results, results + query.count);
    for (std::size_t i = 0; i < query.count; ++i) results[i] = copy[by_rank[i]];
  } else if (!ordered) {
    std::sort(results, results + query.count, better);
  }
  return falling;
}

[[noreturn]] void refuse_duplicates(const RunFile& run, const std::vector<std::vector<Duplicate>>& dropped) {
  constexpr std::size_t kShown = 3;
  std::size_t total = 0;
  std::string shown;
  for (std::size_t q = 0; q < dropped.size(); ++q) {
    for (const auto& [first, second] : dropped[q]) {
      if (++total > kShown) continue;
      const char* at = run.text.view().data() + second;
      const auto document = next_column(at, run.text.view().data() + run.text.view().size());
      shown += fmt::format("{}query {}, document {} (lines {} and {})", shown.empty() ? "" : "; ",
                           in_quotes(run.queries[q].id), in_quotes(document), run.text.line_of(first),
                           run.text.line_of(second));
    }
  }
  fail(ErrorCode::invalid_input,
       "{}: {} document{} twice for one query: {}{}. Keep one line of each, or pass --lenient to keep the "
       "first",
       run.path.string(), total, total == 1 ? " stands" : "s stand", shown, total > kShown ? "; …" : "");
}

void finish_queries(RunFile& run, std::vector<std::int64_t>& ranks, const ReadOptions& options) {
  const std::size_t threads = options.threads == 0 ? available_cores() : options.threads;
  std::vector<std::vector<std::uint32_t>> slots(std::max<std::size_t>(threads, 1));
  std::vector<std::vector<Duplicate>> dropped(run.queries.size());
  std::vector<char> unsorted(run.queries.size());
  parallel_for(run.queries.size(), threads, [&](std::size_t q, std::size_t worker) {
    RunQuery& query = run.queries[q];
    RunResult* results = run.results.data() + query.begin;
    std::int64_t* query_ranks = ranks.empty() ? nullptr : ranks.data() + query.begin;
    dropped[q] = drop_duplicates(run, query, results, query_ranks, slots[worker]);
    unsorted[q] = order_results(run, query, results, query_ranks) ? 0 : 1;
  });
  for (const auto& query : dropped) run.duplicates += query.size();
  if (run.duplicates > 0 && !options.lenient) refuse_duplicates(run, dropped);
  run.unsorted_queries = static_cast<std::size_t>(std::count(unsorted.begin(), unsorted.end(), 1));
}

}  // namespace

const RunQuery* RunFile::find(std::string_view query_id) const noexcept {
  const auto found =
      std::lower_bound(queries.begin(), queries.end(), query_id,
                       [](const RunQuery& query, std::string_view id) { return query.id < id; });
  return found != queries.end() && found->id == query_id ? &*found : nullptr;
}

RunFile parse_run(TrecText text, const std::filesystem::path& name, const ReadOptions& options) {
  RunFile run;
  run.name = display_name(name);
  run.path = name;
  run.text = std::move(text);
  auto chunks = parse_chunks(run.text.view(), options);
  for (const auto& chunk : chunks) {
    if (chunk.fault_offset == std::string_view::npos) continue;
    fail(ErrorCode::invalid_input, "{}:{} {}", name.string(), run.text.line_of(chunk.fault_offset),
         chunk.fault);
  }
  auto ranks = merge(chunks, options.threads, run);
  chunks.clear();
  if (run.queries.empty()) {
    fail(ErrorCode::invalid_input, "{} holds no result: write the run again, or leave it out", name.string());
  }
  finish_queries(run, ranks, options);
  if (run.unsorted_queries > 0) {
    run.notes.push_back(
        fmt::format("{}: in {} of {} queries the lines do not stand by falling score; they are ordered "
                    "by {}",
                    run.name, run.unsorted_queries, run.queries.size(),
                    options.order == Order::score ? "score, as trec_eval does" : "rank, as asked"));
  }
  if (run.duplicates > 0) {
    run.notes.push_back(
        fmt::format("{}: {} lines repeat a document of their query; the first of each is kept", run.name,
                    run.duplicates));
  }
  return run;
}

RunFile read_run(const std::filesystem::path& path, const ReadOptions& options) {
  return parse_run(TrecText(path), path == "-" ? std::filesystem::path("standard input") : path, options);
}

std::string display_name(const std::filesystem::path& path) {
  std::filesystem::path name = path.filename();
  for (const char* ending : {".gz", ".zst", ".trec", ".run", ".txt", ".tsv", ".qrels", ".res"}) {
    if (name.extension() == ending && name.stem() != name) name = name.stem();
  }
  return name.string();
}

}  // namespace mustcite::evaluate
