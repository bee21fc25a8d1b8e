#include "engine/rank/features.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "core/text/normalise.hpp"
#include "engine/rank/bibliography_features.hpp"
#include "engine/snapshot/authors.hpp"

namespace mustcite::rank {
namespace {

constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();
constexpr std::size_t kNear = 100;  ///< first results whose venues and names describe the query's field

const std::vector<std::string>& relative_views() {
  static const std::vector<std::string> names{
      "bm25", "citance", "embedding", "neighbours", "latent-feedback", "dense", "late"};
  return names;
}
const std::vector<std::string>& raw_views() {
  static const std::vector<std::string> names{"bm25",
                                              "title",
                                              "title-title",
                                              "citance",
                                              "lsi",
                                              "embedding",
                                              "latent-feedback",
                                              "voted",
                                              "must-votes",
                                              "experiment-votes",
                                              "bib-cocitation",
                                              "bib-walk",
                                              "bib-links",
                                              "bib-embedding",
                                              "dense",
                                              "bib-dense",
                                              "late"};
  return names;
}

std::vector<FeatureInfo> make_list() {
  std::vector<FeatureInfo> list;
  std::vector<std::string> all = view_names();
  all.emplace_back("fused");
  for (const std::string& view : all) {
    const std::string group = view == "fused" ? "agreement" : view;
    list.push_back({view + ".n", group, true});
    list.push_back({view + ".r", group, true});
  }
  for (const std::string& view : relative_views()) list.push_back({view + ".t100", view, false});
  for (const std::string& view : raw_views()) list.push_back({view + ".raw", view, false});
  for (const char* name : {"views100", "views500", "rrf"}) list.push_back({name, "agreement", true});
  list.push_back({"best-rank", "agreement", false});
  list.push_back({"cited", "popularity", true});
  for (const char* name : {"cited-must", "cited-experiments"}) list.push_back({name, "popularity", false});
  list.push_back({"cited-recent", "popularity", true});
  for (const char* name : {"cited-per-year", "must-share", "experiments-share"})
    list.push_back({name, "popularity", false});
  list.push_back({"age", "age", true});
  list.push_back({"age-relative", "age", false});
  list.push_back({"venue-cited", "venue", true});
  list.push_back({"venue-near", "venue", false});
  list.push_back({"venue-lift", "venue", true});
  list.push_back({"venue-fused", "venue", false});
  for (const char* owner : {"prefix", "any"}) {
    const bool prefix = std::string_view(owner) == "prefix";
    const std::string tail = std::string(".") + owner;
    list.push_back({"name-query" + tail, "names", !prefix});
    list.push_back({"name-near" + tail, "names", !prefix});
    list.push_back({"name-lift" + tail, "names", prefix});
    list.push_back({"name-known" + tail, "names", prefix});
    list.push_back({"name-cited" + tail, "names", prefix});
  }
  list.push_back({"bm25.share", "bm25", false});
  for (const char* name : {"title-covered", "title-covered-by-title"}) list.push_back({name, "title", false});
  list.push_back({"query-length", "length", false});
  list.push_back({"length", "length", false});
  list.push_back({"voted-for", "length", false});
  list.push_back({"authors-shared", "authors", false});
  list.insert(list.end(), bibliography_features().begin(), bibliography_features().end());
  return list;
}

/// ln of small whole numbers, ready made.
class LogTable {
 public:
  LogTable() : values_(1U << 14) {
    for (std::size_t i = 0; i < values_.size(); ++i)
      values_[i] = std::log(static_cast<float>(std::max<std::size_t>(i, 1)));
  }
  [[nodiscard]] float operator()(std::uint32_t number) const {
    return number < values_.size() ? values_[number] : std::log(static_cast<float>(number));
  }

 private:
  std::vector<float> values_;
};

float ln(std::uint32_t number) {
  static const LogTable table;
  return table(number);
}

/// Writes the columns in the order of the list.
class FeatureWriter {
 public:
  FeatureWriter(const QueryContext& context, const Candidates& candidates)
      : context_(context), candidates_(candidates), statistics_(*context.statistics) {
    table_.rows = candidates.docs.size();
    table_.values.assign(feature_list().size() * table_.rows, kUnknown);
  }

  FeatureTable run() {
    views();
    agreement();
    popularity();
    age();
    venue();
    names();
    coverage();
    lengths();
    authors();
    write_bibliography_features(context_, candidates_.docs, [this] { return next(); });
    return std::move(table_);
  }

 private:
  std::span<float> next() { return table_.column(column_++); }
  [[nodiscard]] std::size_t rows() const { return table_.rows; }
  [[nodiscard]] static std::size_t view_index(const std::string& name) {
    const auto& names = view_names();
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  }
  [[nodiscard]] const std::vector<float>& scores(std::size_t view) const {
    return view < candidates_.scores.size() ? candidates_.scores[view] : candidates_.fused;
  }
  /// Rows of the first `count` documents by a view.
  [[nodiscard]] std::vector<std::size_t> first_rows(std::size_t view, std::size_t count) const {
    std::vector<std::size_t> result(std::min(count, rows()), rows());
    for (std::size_t i = 0; i < rows(); ++i) {
      if (places_[view][i] <= result.size() && scores(view)[i] > 0) result[places_[view][i] - 1] = i;
    }
    std::erase(result, rows());
    return result;
  }

  void views();
  void agreement();
  void popularity();
  void age();
  void venue();
  void names();
  void coverage();
  void lengths();
  void authors();

  const QueryContext& context_;
  const Candidates& candidates_;
  const Statistics& statistics_;
  FeatureTable table_;
  std::size_t column_ = 0;
  std::vector<std::vector<std::uint32_t>> places_;  ///< per view, `fused` last
};

void FeatureWriter::views() {
  for (std::size_t v = 0; v <= candidates_.scores.size(); ++v) {
    const std::vector<float>& view = scores(v);
    places_.push_back(rank::places(view));
    float best = 1e-9F;
    for (const float score : view) best = std::max(best, score);
    const std::span<float> normal = next();
    const std::span<float> place = next();
    for (std::size_t i = 0; i < rows(); ++i) {
      normal[i] = std::max(view[i], 0.0F) / best;
      place[i] = ln(places_[v][i]);
    }
  }
  for (const std::string& name : relative_views()) {
    const std::size_t v = view_index(name);
    std::vector<float> sorted = scores(v);
    const std::size_t at = std::min<std::size_t>(kNear, rows() - 1);
    std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(at), sorted.end(),
                     std::greater<>());
    const float reference = std::max(sorted[at], 1e-6F);
    const std::span<float> out = next();
    // Bounded: where fewer than 100 documents have a score at all, the ratio says nothing more.
    for (std::size_t i = 0; i < rows(); ++i) out[i] = std::min(scores(v)[i] / reference, 1e6F);
  }
  for (const std::string& name : raw_views()) {
    const std::vector<float>& from = scores(view_index(name));
    std::copy(from.begin(), from.end(), next().begin());
  }
}

void FeatureWriter::agreement() {
  const std::span<float> within100 = next();
  const std::span<float> within500 = next();
  const std::span<float> reciprocal = next();
  const std::span<float> best = next();
  std::vector<std::uint32_t> least(rows(), 0xffffffff);
  for (const std::span<float>& column : {within100, within500, reciprocal})
    std::fill(column.begin(), column.end(), 0.0F);
  for (std::size_t v = 0; v < candidates_.scores.size(); ++v) {
    const std::vector<std::uint32_t>& places = places_[v];
    // A view that finds nothing has no opinion: without a bibliography its views must not count.
    if (std::none_of(scores(v).begin(), scores(v).end(), [](float score) { return score > 0; })) continue;
    for (std::size_t i = 0; i < rows(); ++i) {
      within100[i] += places[i] <= 100 ? 1.0F : 0.0F;
      within500[i] += places[i] <= 500 ? 1.0F : 0.0F;
      reciprocal[i] += 1.0F / (60.0F + static_cast<float>(places[i]));
      least[i] = std::min(least[i], places[i]);
    }
  }
  for (std::size_t i = 0; i < rows(); ++i) best[i] = ln(least[i]);
}

void FeatureWriter::popularity() {
  std::span<float> out[7];
  for (std::span<float>& column : out) column = next();
  for (std::size_t i = 0; i < rows(); ++i) {
    const DocId doc = candidates_.docs[i];
    const CitedCounts counts = context_.cited(doc);
    const auto citing = static_cast<float>(counts.citing);
    const int year = context_.resources->columns().year(doc);
    out[0][i] = ln(counts.citing + 1);
    out[1][i] = ln(counts.must + 1);
    out[2][i] = ln(counts.experiments + 1);
    out[3][i] = ln(counts.recent + 1);
    out[4][i] = year > 0 ? citing / static_cast<float>(1 + std::max(statistics_.year - year, 0)) : kUnknown;
    out[5][i] = (static_cast<float>(counts.must) + 0.3F) / (citing + 1);
    out[6][i] = (static_cast<float>(counts.experiments) + 0.15F) / (citing + 1);
  }
}

void FeatureWriter::age() {
  const std::span<float> age = next();
  const std::span<float> relative = next();
  for (std::size_t i = 0; i < rows(); ++i) {
    const int year = context_.resources->columns().year(candidates_.docs[i]);
    age[i] = year > 0 ? static_cast<float>(statistics_.year - year) : kUnknown;
  }
  double sum = 0;
  double known = 0;
  for (const std::size_t row : first_rows(0, kNear / 2)) {
    if (std::isnan(age[row])) continue;
    sum += age[row];
    known += 1;
  }
  const float mean = known > 0 ? static_cast<float>(sum / known) : 0.0F;
  for (std::size_t i = 0; i < rows(); ++i) relative[i] = age[i] - mean;
}

void FeatureWriter::venue() {
  const Columns& columns = context_.resources->columns();
  const std::size_t count = columns.venues();
  std::vector<float> cited(count), near(count, 0.0F), lift(count), fused(count, 0.0F);
  double citations = 0, documents = 0;
  for (std::size_t v = 0; v < count; ++v) {
    citations += statistics_.venue_citations[v] + 1.0;
    documents += statistics_.venue_documents[v] + 5.0;
  }
  for (const std::size_t row : first_rows(0, kNear))
    near[columns.venue(candidates_.docs[row])] += 1.0F / kNear;
  const std::size_t last = candidates_.scores.size();
  for (const std::size_t row : first_rows(last, kNear / 2))
    fused[columns.venue(candidates_.docs[row])] += 2.0F / kNear;
  for (std::size_t v = 0; v < count; ++v) {
    const auto share = static_cast<float>((statistics_.venue_documents[v] + 5.0) / documents);
    cited[v] = std::log(static_cast<float>((statistics_.venue_citations[v] + 1.0) / citations) / share);
    lift[v] = std::log((near[v] + 0.01F) / (share + 0.01F));
  }
  const std::vector<float>* const tables[] = {&cited, &near, &lift, &fused};
  for (const std::vector<float>* const values : tables) {
    const std::span<float> out = next();
    for (std::size_t i = 0; i < rows(); ++i) out[i] = (*values)[columns.venue(candidates_.docs[i])];
  }
}

void FeatureWriter::names() {
  const NameIndex& index = context_.resources->names();
  // How often the first results mention each name, weighted by their score.
  std::vector<std::pair<std::uint32_t, float>> near;
  const std::vector<std::size_t> first = first_rows(0, kNear);
  float total = 1e-9F;
  for (const std::size_t row : first) {
    const float weight = scores(0)[row] / std::max(scores(0)[first[0]], 1e-9F);
    total += weight;
    for (const std::uint32_t name : index.mentioned(candidates_.docs[row])) near.emplace_back(name, weight);
  }
  std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::size_t kept = 0;
  for (const auto& item : near) {
    if (kept > 0 && near[kept - 1].first == item.first) {
      near[kept - 1].second += item.second;
    } else {
      near[kept++] = item;
    }
  }
  near.resize(kept);
  std::span<float> out[10];
  for (std::span<float>& column : out) {
    column = next();
    std::fill(column.begin(), column.end(), 0.0F);
  }
  const auto documents = static_cast<float>(context_.as_of.documents + 1);
  for (std::size_t i = 0; i < rows(); ++i) {
    for (const NameIndex::Owned& owned : index.owned(candidates_.docs[i])) {
      const std::uint32_t mentions = index.documents_with(owned.name, context_.as_of.documents);
      const float idf = std::log(documents / static_cast<float>(mentions + 1));
      const auto at =
          std::lower_bound(near.begin(), near.end(), owned.name,
                           [](const auto& item, std::uint32_t name) { return item.first < name; });
      const float share = at != near.end() && at->first == owned.name ? at->second / total : 0.0F;
      const bool asked = std::binary_search(context_.names.begin(), context_.names.end(), owned.name);
      const float values[5] = {asked ? idf : 0.0F, share, std::log1p(100 * share) * idf, ln(mentions),
                               ln(index.sentences_with(owned.name, context_.as_of.sentences) + 1)};
      for (std::size_t k = 0; k < 5; ++k) {
        out[5 + k][i] = std::max(out[5 + k][i], values[k] / static_cast<float>(1 + owned.older));
        if (owned.by_prefix())
          out[k][i] = std::max(out[k][i], values[k] / static_cast<float>(1 + owned.older_prefix));
      }
    }
  }
}

/// How much of the query's words BM25 found, and how much of the candidate's title the query holds, weighted
/// by idf.
void FeatureWriter::coverage() {
  const index::SparseIndex& text = context_.resources->text();
  const index::SparseIndex& titles = context_.resources->titles();
  const double documents = context_.as_of.documents;
  const auto idf = [&](const index::SparseIndex& index, std::uint32_t term) {
    const double df = index.document_frequency(term, context_.as_of.documents);
    return static_cast<float>(std::log(1 + (documents - df + 0.5) / (df + 0.5)));
  };
  float asked = 1e-9F;
  for (const index::QueryTerm& term : context_.terms) asked += term.weight * idf(text, term.term);
  const std::span<float> share = next();
  for (std::size_t i = 0; i < rows(); ++i) share[i] = scores(0)[i] / asked;
  const std::span<float> covered = next();
  const std::span<float> by_title = next();
  const auto holds = [](const std::vector<index::QueryTerm>& terms, std::uint32_t term) {
    const auto at =
        std::lower_bound(terms.begin(), terms.end(), term,
                         [](const index::QueryTerm& item, std::uint32_t id) { return item.term < id; });
    return at != terms.end() && at->term == term;
  };
  std::unordered_map<std::uint32_t, float> known;  // idf of title terms seen before
  for (std::size_t i = 0; i < rows(); ++i) {
    float all = 1e-9F, found = 0, found_by_title = 0;
    for (const index::QueryTerm& term : titles.document_terms(candidates_.docs[i])) {
      const auto [at, fresh] = known.emplace(term.term, 0.0F);
      if (fresh) at->second = idf(titles, term.term);
      all += at->second;
      if (holds(context_.titles_terms, term.term)) found += at->second;
      if (holds(context_.titles_title_terms, term.term)) found_by_title += at->second;
    }
    covered[i] = found / all;
    by_title[i] = found_by_title / all;
  }
}

void FeatureWriter::lengths() {
  const std::span<float> query = next();
  const std::span<float> document = next();
  const std::span<float> voted = next();
  const std::vector<float>& votes = scores(view_index("neighbours"));
  const auto found = std::count_if(votes.begin(), votes.end(), [](float score) { return score > 0; });
  for (std::size_t i = 0; i < rows(); ++i) {
    query[i] = std::log1p(static_cast<float>(context_.terms.size()));
    document[i] = std::log1p(context_.resources->text().document_length(candidates_.docs[i]));
    voted[i] = std::log1p(static_cast<float>(found));
  }
}

/// How many authors a candidate shares with the draft; unknown where either has none.
void FeatureWriter::authors() {
  const std::span<float> shared = next();
  if (context_.author_keys.empty()) return;
  for (std::size_t i = 0; i < rows(); ++i) {
    const auto names =
        snapshot::split_authors(context_.resources->snapshot().document(candidates_.docs[i]).authors);
    if (names.empty()) continue;
    shared[i] = static_cast<float>(std::count_if(names.begin(), names.end(), [&](std::string_view name) {
      return std::binary_search(context_.author_keys.begin(), context_.author_keys.end(),
                                text::author_key(name));
    }));
  }
}

}  // namespace

const std::vector<FeatureInfo>& feature_list() {
  static const std::vector<FeatureInfo> list = make_list();
  return list;
}

std::vector<std::string> feature_groups() {
  std::vector<std::string> groups;
  for (const FeatureInfo& feature : feature_list()) {
    if (std::find(groups.begin(), groups.end(), feature.group) == groups.end())
      groups.push_back(feature.group);
  }
  return groups;
}

FeatureTable compute_features(const QueryContext& context, const Candidates& candidates) {
  if (candidates.docs.empty()) return {};
  return FeatureWriter(context, candidates).run();
}

}  // namespace mustcite::rank
