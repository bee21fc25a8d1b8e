#include "engine/evaluate/evaluate.hpp"

#include <algorithm>
#include <map>

#include "core/base/error.hpp"
#include "core/base/threads.hpp"

namespace mustcite::evaluate {
namespace {

/// Relevant documents of one query that fall in one slice, and how many of them each run and Recall@K finds.
struct SliceCount {
  std::uint32_t query = 0;
  std::uint32_t relevant = 0;
  std::vector<std::uint32_t> found;  // [run][recall metric]
};

/// What a slicing by document has counted: slice name → its queries by rising id.
using SliceCounts = std::map<std::string, std::vector<SliceCount>>;

bool by_document(const Slicing& slicing) {
  return slicing.by != Slicing::By::query;
}

std::vector<std::string> unique_names(std::vector<std::string> names) {
  std::map<std::string, int> seen;
  for (auto& name : names) {
    if (const int before = seen[name]++; before > 0) name += fmt::format(" ({})", before + 1);
  }
  return names;
}

std::string first_names(const std::vector<std::string_view>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < 3; ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : ", ", names[i].substr(0, 60));
  }
  return names.size() > 3 ? text + ", …" : text;
}

/// Scores all runs against one qrels file.
class Scorer {
 public:
  Scorer(std::span<const RunFile> runs, const Qrels& qrels, const Options& options, Report& report)
      : runs_(runs), qrels_(qrels), options_(options), report_(report) {
    for (const auto& metric : options.metrics) {
      if (metric.measure == Measure::recall) recalls_.push_back(metric);
    }
  }

  void run(const std::string& qrels_name) {
    name_ = qrels_name;
    table_.qrels = name_;
    table_.metrics = options_.metrics;
    table_.runs = runs_.size();
    table_.values.resize(qrels_.queries.size() * runs_.size() * options_.metrics.size());
    relevant_.resize(qrels_.queries.size());
    counts_.assign(options_.slicings.size(), {});
    for (auto& slicing : counts_) slicing.resize(qrels_.queries.size());
    for (const auto& query : qrels_.queries) table_.queries.emplace_back(query.id);
    score_queries();
    cover();
    for (const auto count : relevant_) table_.relevant += count;
    report_.tables.push_back(table_);
    for (std::size_t s = 0; s < options_.slicings.size(); ++s) {
      if (by_document(options_.slicings[s])) {
        slice_documents(s);
      } else {
        slice_queries(options_.slicings[s]);
      }
    }
  }

 private:
  void score_queries() {
    const std::size_t threads = options_.threads == 0 ? available_cores() : options_.threads;
    std::vector<Judge> judges(threads,
                              Judge(options_.metrics, options_.relevance_level, options_.map_denominator));
    parallel_for(qrels_.queries.size(), threads, [&](std::size_t q, std::size_t worker) {
      stop_if_interrupted();
      score_query(q, judges[worker]);
    });
  }

  void score_query(std::size_t q, Judge& judge) {
    const auto judgements = qrels_.judgements_of(qrels_.queries[q]);
    judge.prepare(judgements);
    relevant_[q] = static_cast<std::uint32_t>(judge.relevant());
    // Slice of each judgement, per slicing by document.
    std::vector<std::vector<SliceCount*>> slice_of_judgement(options_.slicings.size());
    for (std::size_t s = 0; s < options_.slicings.size(); ++s) {
      if (by_document(options_.slicings[s])) slice_of_judgement[s] = count_relevant(q, s, judgements);
    }
    const std::size_t width = options_.metrics.size();
    for (std::size_t r = 0; r < runs_.size(); ++r) {
      const RunQuery* answer = runs_[r].find(qrels_.queries[q].id);
      if (answer == nullptr) continue;
      const auto hits = judge.find(runs_[r], runs_[r].results_of(*answer));
      judge.score(hits, {table_.values.data() + (q * runs_.size() + r) * width, width});
      for (const auto& slices : slice_of_judgement) {
        if (!slices.empty()) count_found(hits, r, slices);
      }
    }
  }

  std::vector<SliceCount*> count_relevant(std::size_t q, std::size_t s,
                                          std::span<const Judgement> judgements) {
    auto& slices = counts_[s][q];
    std::vector<SliceCount*> result(judgements.size(), nullptr);
    for (std::size_t j = 0; j < judgements.size(); ++j) {
      if (judgements[j].relevance < options_.relevance_level) continue;
      auto& count = slices[slice_of(options_.slicings[s], qrels_.queries[q].id, judgements[j].document)];
      count.query = static_cast<std::uint32_t>(q);
      count.found.resize(runs_.size() * recalls_.size());
      ++count.relevant;
      result[j] = &count;
    }
    return result;
  }

  void count_found(std::span<const Hit> hits, std::size_t run, const std::vector<SliceCount*>& slices) const {
    for (const auto& hit : hits) {
      if (slices[hit.judgement] == nullptr) continue;
      for (std::size_t k = 0; k < recalls_.size(); ++k) {
        if (hit.position < recalls_[k].cutoff) ++slices[hit.judgement]->found[run * recalls_.size() + k];
      }
    }
  }

  /// Notes what does not fit, and refuses runs that fit nowhere.
  void cover() {
    for (std::size_t r = 0; r < runs_.size(); ++r) {
      Coverage coverage{name_, report_.runs[r], 0, 0, 0};
      std::vector<std::string_view> missing;
      for (const auto& query : qrels_.queries) {
        if (runs_[r].find(query.id) == nullptr) missing.push_back(query.id);
      }
      std::vector<std::string_view> unjudged;
      for (const auto& query : runs_[r].queries) {
        if (qrels_.find(query.id) == nullptr) unjudged.push_back(query.id);
      }
      coverage.missing = missing.size();
      coverage.answered = qrels_.queries.size() - missing.size();
      coverage.unjudged = unjudged.size();
      if (coverage.answered == 0) {
        fail(ErrorCode::invalid_input,
             "cannot evaluate {} against {}: none of the run's {} queries is judged (the run has {}; the "
             "qrels have "
             "{}). Are both of the same release and split?",
             runs_[r].path.string(), qrels_.path.string(), runs_[r].queries.size(),
             in_quotes(unjudged.front()), in_quotes(missing.front()));
      }
      if (!missing.empty()) {
        note("{}: {} of {} queries of {} have no answer and count as zero ({})", coverage.run, missing.size(),
             qrels_.queries.size(), name_, first_names(missing));
      }
      if (!unjudged.empty()) {
        note("{}: {} answered queries are not judged in {} and do not count ({})", coverage.run,
             unjudged.size(), name_, first_names(unjudged));
      }
      report_.coverage.push_back(coverage);
    }
    const auto barren = std::count(relevant_.begin(), relevant_.end(), 0u);
    if (barren > 0) {
      note("{}: {} queries have no relevant paper; they count as zero, as in trec_eval", name_, barren);
    }
  }

  template <typename... Args>
  void note(fmt::format_string<Args...> format, Args&&... args) {
    report_.notes.push_back(fmt::format(format, std::forward<Args>(args)...));
  }

  void slice_queries(const Slicing& slicing) {
    std::map<std::string, std::vector<std::size_t>> members;
    for (std::size_t q = 0; q < qrels_.queries.size(); ++q) {
      members[slice_of(slicing.queries.find(qrels_.queries[q].id), slicing.bins)].push_back(q);
    }
    const std::size_t width = runs_.size() * options_.metrics.size();
    for (const auto& slice : ordered(members, slicing)) {
      Table table = empty_slice(slicing, slice, options_.metrics);
      for (const auto q : members[slice]) {
        table.queries.push_back(table_.queries[q]);
        table.relevant += relevant_[q];
        const double* row = table_.values.data() + q * width;
        table.values.insert(table.values.end(), row, row + width);
      }
      report_.tables.push_back(std::move(table));
    }
  }

  void slice_documents(std::size_t s) {
    SliceCounts members;
    for (auto& query : counts_[s]) {
      for (auto& [slice, count] : query) members[slice].push_back(std::move(count));
    }
    for (const auto& slice : ordered(members, options_.slicings[s])) {
      Table table = empty_slice(options_.slicings[s], slice, recalls_);
      for (const auto& count : members[slice]) {
        table.queries.push_back(table_.queries[count.query]);
        table.relevant += count.relevant;
        for (const auto found : count.found) {
          table.values.push_back(static_cast<double>(found) / static_cast<double>(count.relevant));
        }
      }
      report_.tables.push_back(std::move(table));
    }
  }

  [[nodiscard]] Table empty_slice(const Slicing& slicing, const std::string& slice,
                                  const std::vector<Metric>& metrics) const {
    Table table;
    table.qrels = name_;
    table.slicing = slicing.name;
    table.slice = slice;
    table.metrics = metrics;
    table.runs = runs_.size();
    return table;
  }

  /// Slices in table order; those with too few queries become a note.
  template <typename Members>
  std::vector<std::string> ordered(const Members& members, const Slicing& slicing) {
    std::vector<std::pair<std::string, std::size_t>> sizes;
    std::size_t left_out = 0;
    for (const auto& [slice, queries] : members) {
      if (queries.size() < options_.min_slice_queries) {
        ++left_out;
      } else {
        sizes.emplace_back(slice, queries.size());
      }
    }
    if (left_out > 0) {
      note("{}: {} slices by {} have fewer than {} queries and are not shown", name_, left_out, slicing.name,
           options_.min_slice_queries);
    }
    order_slices(sizes, slicing.bins);
    std::vector<std::string> names;
    for (auto& [slice, size] : sizes) names.push_back(std::move(slice));
    return names;
  }

  std::span<const RunFile> runs_;
  const Qrels& qrels_;
  const Options& options_;
  Report& report_;
  std::string name_;
  std::vector<Metric> recalls_;
  Table table_;
  std::vector<std::uint32_t> relevant_;
  std::vector<std::vector<std::map<std::string, SliceCount>>> counts_;  // [slicing][query]
};

void fill_means(Table& table) {
  const std::size_t columns = table.runs * table.metrics.size();
  std::vector<double> sums(columns);
  for (std::size_t i = 0; i < table.values.size(); ++i) sums[i % columns] += table.values[i];
  table.cells.resize(columns);
  for (std::size_t c = 0; c < columns; ++c) {
    table.cells[c].mean = table.queries.empty() ? 0.0 : sums[c] / static_cast<double>(table.queries.size());
  }
}

void check(std::span<const RunFile> runs, std::span<const Qrels> qrels, const Options& options) {
  if (runs.empty() || qrels.empty())
    fail(ErrorCode::usage, "nothing to evaluate: give --qrels FILE and --run FILE");
  if (options.metrics.empty())
    fail(ErrorCode::usage, "no metric is named: write --metrics MAP,Recall@100, say");
  if (options.relevance_level < 1) {
    fail(ErrorCode::usage, "the relevance level {} is not above 0: unjudged papers would be relevant",
         options.relevance_level);
  }
  const bool recall = std::any_of(options.metrics.begin(), options.metrics.end(),
                                  [](const auto& metric) { return metric.measure == Measure::recall; });
  const bool documents = std::any_of(options.slicings.begin(), options.slicings.end(), by_document);
  if (documents && !recall) {
    fail(ErrorCode::usage,
         "slices by document show Recall@K, and none is among the metrics: add Recall@100, say");
  }
}

}  // namespace

Report evaluate(std::span<const RunFile> runs, std::span<const Qrels> qrels, const Options& options) {
  check(runs, qrels, options);
  Report report;
  report.relevance_level = options.relevance_level;
  report.map_denominator = options.map_denominator;
  std::vector<std::string> qrels_names;
  for (const auto& run : runs) {
    report.runs.push_back(run.name);
    report.notes.insert(report.notes.end(), run.notes.begin(), run.notes.end());
  }
  for (const auto& file : qrels) {
    qrels_names.push_back(file.name);
    report.notes.insert(report.notes.end(), file.notes.begin(), file.notes.end());
  }
  report.runs = unique_names(std::move(report.runs));
  qrels_names = unique_names(std::move(qrels_names));
  for (std::size_t t = 0; t < qrels.size(); ++t) Scorer(runs, qrels[t], options, report).run(qrels_names[t]);
  for (auto& table : report.tables) fill_means(table);
  return report;
}

}  // namespace mustcite::evaluate
