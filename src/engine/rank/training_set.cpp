#include "engine/rank/training_set.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>

#include "core/base/error.hpp"
#include "core/base/threads.hpp"
#include "engine/snapshot/authors.hpp"

namespace mustcite::rank {
namespace {

std::uint64_t mixed(std::uint64_t x) {  // splitmix64
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// `count` of the items, drawn without repetition; order of the items is kept.
std::vector<std::size_t> drawn(std::vector<std::size_t> items, std::size_t count, std::uint64_t seed) {
  if (items.size() <= count) return items;
  for (std::size_t i = 0; i < count; ++i) {
    std::swap(items[i], items[i + mixed(seed + i) % (items.size() - i)]);
  }
  items.resize(count);
  std::sort(items.begin(), items.end());
  return items;
}

std::uint8_t bits_of(const TrainingQuery& query, DocId doc) {
  const auto at = std::lower_bound(query.targets.begin(), query.targets.end(), doc,
                                   [](const auto& target, DocId id) { return target.first < id; });
  return at != query.targets.end() && at->first == doc ? at->second : std::uint8_t{0};
}

std::uint64_t seed_of(const TrainOptions& options, std::size_t query) {
  return mixed(options.seed ^ mixed(query));
}

/// Runs `work` for every query on several threads, reporting from this one.
void for_queries(std::size_t count, const TrainOptions& options, Progress& progress,
                 const std::function<void(std::size_t)>& work) {
  constexpr std::size_t kChunk = 64;
  for (std::size_t first = 0; first < count; first += kChunk) {
    stop_if_interrupted();
    const std::size_t n = std::min(kChunk, count - first);
    parallel_for(n, options.threads, [&](std::size_t i, std::size_t) { work(first + i); });
    progress.advance(n);
  }
}

FeatureTable features_of(const Resources& resources, const Model& model, const Query& query,
                         std::vector<DocId>& docs) {
  QueryContext context = make_context(resources, query);
  Candidates candidates = find_candidates(context, model.without);
  FeatureTable table = compute_features(context, candidates);
  docs = std::move(candidates.docs);
  return table;
}

/// Authors of a citing paper that is a document.
std::vector<std::string> authors_of(const snapshot::Snapshot& snapshot, DocId doc) {
  if (doc == snapshot::kNoDoc) return {};
  const auto names = snapshot::split_authors(snapshot.document(doc).authors);
  return {names.begin(), names.end()};
}

/// Makes part of the targets known, at least one and not all. Precondition: there are two or more.
void make_bibliography(const snapshot::Snapshot& snapshot, const TrainOptions& options, TrainingQuery& query,
                       std::uint64_t seed) {
  const std::size_t size = query.targets.size();
  const double share = options.least_known +
                       (options.most_known - options.least_known) * static_cast<double>(seed >> 11) * 0x1p-53;
  const auto count =
      std::clamp<std::size_t>(static_cast<std::size_t>(share * static_cast<double>(size)), 1, size - 1);
  std::vector<std::size_t> places(size);
  std::iota(places.begin(), places.end(), std::size_t{0});
  const std::vector<std::size_t> known = drawn(std::move(places), count, seed);
  std::vector<std::pair<DocId, std::uint8_t>> hidden;
  for (std::size_t i = 0, next = 0; i < size; ++i) {
    if (next < known.size() && known[next] == i) {
      ++next;
      query.query.known.emplace_back(std::string(snapshot.document(query.targets[i].first).id));
    } else {
      hidden.push_back(query.targets[i]);
    }
  }
  query.targets = std::move(hidden);
}

}  // namespace

bool counts(std::uint8_t bits, Tier tier) noexcept {
  switch (tier) {
    case Tier::all:
      return (bits & kCited) != 0;
    case Tier::type3:
      return (bits & kType3) != 0;
    case Tier::experiments:
      return (bits & kExperiments) != 0;
    case Tier::must:
      return (bits & (kType3 | kExperiments)) != 0;
    case Tier::type1:
    case Tier::type2:
      return false;
  }
  return false;
}

std::vector<TrainingQuery> training_queries(const Resources& resources, const TrainOptions& options,
                                            TrainReport& report) {
  constexpr int kDefaultYears = 4;
  const snapshot::Snapshot& snapshot = resources.snapshot();
  const graph::CitationGraph& graph = resources.graph();
  const int newest = graph.edges() > 0 ? graph.edge(graph.edges() - 1).year : 0;
  const int last = options.last_year != 0 ? options.last_year : newest;
  const int first = options.first_year != 0 ? options.first_year : last - kDefaultYears + 1;
  std::vector<TrainingQuery> queries;
  for (std::uint32_t row = 0; row < snapshot.citing_size(); ++row) {
    const snapshot::Snapshot::CitingView view = snapshot.citing(row);
    if (view.year < first || view.year > last || view.year == 0) continue;
    ++report.queries;
    if (view.year <= options.encoder_trained_until) {
      ++report.seen_by_encoder;
      continue;
    }
    if (view.abstract.empty()) {
      ++report.without_abstract;
      continue;
    }
    TrainingQuery query;
    query.query.id = QueryId(std::string(view.id));
    query.query.title = std::string(view.title);
    query.query.abstract = std::string(view.abstract);
    query.query.before = Date{view.year, 0, 0};
    query.year = view.year;
    const std::uint32_t documents = snapshot.prefix(query.query.before);
    for (std::uint32_t e = view.evidence_begin; e < view.evidence_end; ++e) {
      const graph::Edge& edge = graph.edge(e);
      if (edge.cited.value >= documents || graph.is_self_citation(edge)) continue;
      const int bits =
          kCited | (edge.mentions >= 3 ? kType3 : 0) | (edge.exp_mentions > 0 ? kExperiments : 0);
      query.targets.emplace_back(edge.cited, static_cast<std::uint8_t>(bits));
    }
    std::sort(query.targets.begin(), query.targets.end());
    const std::size_t least = options.bibliography ? 2 : 1;
    if (query.targets.size() < least) {
      ++report.without_target;
      continue;
    }
    ++report.trained_on;
    if (!options.bibliography) {
      queries.push_back(std::move(query));
      continue;
    }
    for (std::size_t draw = 0; draw < options.bibliography_draws; ++draw) {
      queries.push_back(query);
      make_bibliography(snapshot, options, queries.back(), mixed(options.seed ^ mixed(row) ^ draw));
      // Every second draw knows its authors, so that the model serves drafts with and without names.
      if (draw % 2 == 1) queries.back().query.authors = authors_of(snapshot, view.doc);
    }
  }
  if (queries.empty()) {
    if (report.seen_by_encoder > 0) {
      fail(ErrorCode::invalid_input,
           "training the ranker on {} to {}: the encoder was trained on papers up to {}, so its scores for "
           "these "
           "queries say nothing; train it on older papers, or name later years",
           first, last, options.encoder_trained_until);
    }
    fail(ErrorCode::invalid_input,
         "training the ranker on {} to {}: no citing paper of these years has an abstract and cites an older "
         "document; "
         "import more citations or choose other years",
         first, last);
  }
  return queries;
}

learn::LinearModel fit_linear_stage(const Resources& resources, const Model& model,
                                    const std::vector<TrainingQuery>& queries, const TrainOptions& options,
                                    Progress& progress) {
  const std::size_t width = model.linear_features.size();
  struct Part {
    std::vector<float> values, labels, weights;
  };
  std::vector<Part> parts(std::min(queries.size(), std::max<std::size_t>(options.linear_queries, 1)));
  progress.begin("features for the linear stage", parts.size());
  for_queries(parts.size(), options, progress, [&](std::size_t part) {
    const std::size_t q = part * queries.size() / parts.size();
    std::vector<DocId> docs;
    const FeatureTable table = features_of(resources, model, queries[q].query, docs);
    std::vector<std::size_t> rows, others;
    for (std::size_t i = 0; i < docs.size(); ++i)
      (bits_of(queries[q], docs[i]) != 0 ? rows : others).push_back(i);
    others = drawn(std::move(others), options.sampled_by_linear, seed_of(options, q));
    rows.insert(rows.end(), others.begin(), others.end());
    for (const std::size_t row : rows) {
      const std::uint8_t bits = bits_of(queries[q], docs[row]);
      for (const std::size_t column : model.linear_features) {
        const float value = table.column(column)[row];
        parts[part].values.push_back(std::isfinite(value) ? value : 0.0F);
      }
      parts[part].labels.push_back(bits != 0 ? 1.0F : 0.0F);
      parts[part].weights.push_back(counts(bits, Tier::must) ? 2.0F : 1.0F);
    }
  });
  progress.finish();
  Part all;
  for (const Part& part : parts) {
    all.values.insert(all.values.end(), part.values.begin(), part.values.end());
    all.labels.insert(all.labels.end(), part.labels.begin(), part.labels.end());
    all.weights.insert(all.weights.end(), part.weights.begin(), part.weights.end());
  }
  if (all.values.size() != all.labels.size() * width)
    fail(ErrorCode::internal, "training rows have a wrong width");
  return learn::fit_logistic(all.values, all.labels, all.weights);
}

std::vector<LabelledShortlist> label_shortlists(const Resources& resources, const Model& model,
                                                const std::vector<TrainingQuery>& queries, int whole_year,
                                                const TrainOptions& options, Progress& progress) {
  std::vector<LabelledShortlist> result(queries.size());
  progress.begin("features for the trees", queries.size());
  for_queries(queries.size(), options, progress, [&](std::size_t q) {
    std::vector<DocId> docs;
    const FeatureTable table = features_of(resources, model, queries[q].query, docs);
    Shortlist list = shortlist(model, table);
    read_pairs(resources, model, queries[q].query, docs, list);
    std::vector<std::size_t> taken, hard, easy;
    for (std::size_t i = 0; i < list.rows.size(); ++i) {
      const bool cited = bits_of(queries[q], docs[list.rows[i]]) != 0;
      (cited ? taken : hard.size() < options.hard ? hard : easy).push_back(i);
    }
    const std::size_t left = easy.size();
    const bool whole = queries[q].year == whole_year;
    if (!whole) easy = drawn(std::move(easy), options.easy, seed_of(options, q) + 1);
    const float stands_for = easy.empty() ? 1.0F : static_cast<float>(left) / static_cast<float>(easy.size());
    const auto add = [&](const std::vector<std::size_t>& rows, float weight) {
      for (const std::size_t i : rows) {
        const std::span<const float> row = list.row(i);
        result[q].values.insert(result[q].values.end(), row.begin(), row.end());
        result[q].labels.push_back(bits_of(queries[q], docs[list.rows[i]]));
        result[q].weights.push_back(weight);
      }
    };
    add(taken, 1.0F);
    add(hard, 1.0F);
    add(easy, stands_for);
  });
  progress.finish();
  return result;
}

}  // namespace mustcite::rank
