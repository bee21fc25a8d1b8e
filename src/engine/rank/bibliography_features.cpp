#include "engine/rank/bibliography_features.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "engine/snapshot/authors.hpp"

namespace mustcite::rank {
namespace {

constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();

/// Works of one bibliography by the name of an author, and candidates that bear it.
struct Author {
  std::vector<std::uint32_t> works;
  std::uint32_t candidates = 0;
};

class Writer {
 public:
  Writer(const QueryContext& context, std::span<const DocId> docs,
         const std::function<std::span<float>()>& next)
      : context_(context), docs_(docs), next_(next) {}

  void run() {
    authors();
    names();
    venues();
    years();
    fill(next_(), std::log1p(static_cast<float>(context_.known.size())));
  }

 private:
  static void fill(std::span<float> column, float value) { std::fill(column.begin(), column.end(), value); }
  [[nodiscard]] std::vector<std::string_view> authors_of(DocId doc) const {
    return snapshot::split_authors(context_.resources->snapshot().document(doc).authors);
  }

  void authors() {
    const std::span<float> works = next_();
    const std::span<float> share = next_();
    const std::span<float> first = next_();
    std::unordered_map<std::string_view, Author> known;
    for (std::uint32_t i = 0; i < context_.known.size(); ++i) {
      for (const std::string_view name : authors_of(context_.known[i])) known[name].works.push_back(i);
    }
    std::vector<std::vector<Author*>> shared(docs_.size());
    for (std::size_t i = 0; i < docs_.size(); ++i) {
      const auto names = authors_of(docs_[i]);
      works[i] = share[i] = first[i] = names.empty() ? kUnknown : 0;
      for (std::size_t k = 0; k < names.size(); ++k) {
        const auto at = known.find(names[k]);
        if (at == known.end()) continue;
        ++at->second.candidates;
        shared[i].push_back(&at->second);
        if (k == 0) first[i] = static_cast<float>(at->second.works.size());
      }
    }
    std::vector<std::uint32_t> together;
    for (std::size_t i = 0; i < docs_.size(); ++i) {
      if (shared[i].empty()) continue;
      together.clear();
      for (const Author* const author : shared[i]) {
        together.insert(together.end(), author->works.begin(), author->works.end());
        // Who is everywhere among the candidates says little by being in the bibliography.
        share[i] = std::max(
            share[i], static_cast<float>(author->works.size()) / static_cast<float>(author->candidates + 1));
      }
      std::sort(together.begin(), together.end());
      const auto end = std::unique(together.begin(), together.end());
      works[i] = std::log1p(static_cast<float>(end - together.begin()));
    }
  }

  /// Part of the works that mention a name which a candidate owns, weighted by its idf.
  void names() {
    const NameIndex& index = context_.resources->names();
    std::unordered_map<std::uint32_t, float> mentions;
    for (const DocId doc : context_.known) {
      for (const std::uint32_t name : index.mentioned(doc)) mentions[name] += 1.0F;
    }
    const std::span<float> by_prefix = next_();
    const std::span<float> any = next_();
    const auto works = static_cast<float>(context_.known.size());
    const auto documents = static_cast<float>(context_.as_of.documents + 1);
    for (std::size_t i = 0; i < docs_.size(); ++i) {
      by_prefix[i] = any[i] = 0;
      for (const NameIndex::Owned& owned : index.owned(docs_[i])) {
        const auto at = mentions.find(owned.name);
        if (at == mentions.end()) continue;
        const std::uint32_t all = index.documents_with(owned.name, context_.as_of.documents);
        const float value =
            std::log1p(100 * at->second / works) * std::log(documents / static_cast<float>(all + 1));
        any[i] = std::max(any[i], value / static_cast<float>(1 + owned.older));
        if (owned.by_prefix())
          by_prefix[i] = std::max(by_prefix[i], value / static_cast<float>(1 + owned.older_prefix));
      }
    }
  }

  /// How much more of the bibliography than of the collection appeared where the candidate did.
  void venues() {
    const Columns& columns = context_.resources->columns();
    std::vector<float> lift(columns.venues(), 0.0F);
    for (const DocId doc : context_.known)
      lift[columns.venue(doc)] += 1.0F / static_cast<float>(context_.known.size());
    const auto& documents = context_.statistics->venue_documents;
    double all = 0;
    for (std::size_t v = 0; v < lift.size(); ++v) all += documents[v] + 5.0;
    for (std::size_t v = 0; v < lift.size(); ++v) {
      const auto share = static_cast<float>((documents[v] + 5.0) / all);
      lift[v] = std::log((lift[v] + 0.01F) / (share + 0.01F));
    }
    const std::span<float> out = next_();
    for (std::size_t i = 0; i < docs_.size(); ++i) out[i] = lift[columns.venue(docs_[i])];
  }

  /// Part of the bibliography of the candidate's year, and its distance from the middle one.
  void years() {
    const Columns& columns = context_.resources->columns();
    std::unordered_map<int, float> shares;
    std::vector<int> years;
    for (const DocId doc : context_.known) {
      if (const int year = columns.year(doc); year > 0) years.push_back(year);
    }
    for (const int year : years) shares[year] += 1.0F / static_cast<float>(years.size());
    const std::span<float> same = next_();
    const std::span<float> distance = next_();
    fill(same, kUnknown);
    fill(distance, kUnknown);
    if (years.empty()) return;
    const auto middle = years.begin() + static_cast<std::ptrdiff_t>(years.size() / 2);
    std::nth_element(years.begin(), middle, years.end());
    for (std::size_t i = 0; i < docs_.size(); ++i) {
      const int year = columns.year(docs_[i]);
      if (year <= 0) continue;
      const auto at = shares.find(year);
      same[i] = at == shares.end() ? 0 : at->second;
      distance[i] = static_cast<float>(year - *middle);
    }
  }

  const QueryContext& context_;
  std::span<const DocId> docs_;
  const std::function<std::span<float>()>& next_;
};

}  // namespace

const std::vector<FeatureInfo>& bibliography_features() {
  static const std::vector<FeatureInfo> list{
      {"bib-author-works", "bib-authors", true},  {"bib-author-share", "bib-authors", true},
      {"bib-author-first", "bib-authors", false}, {"bib-name.prefix", "bib-names", true},
      {"bib-name.any", "bib-names", false},       {"bib-venue", "bib-profile", true},
      {"bib-year", "bib-profile", true},          {"bib-year-distance", "bib-profile", false},
      {"bib-size", "bib-profile", false}};
  return list;
}

void write_bibliography_features(const QueryContext& context, std::span<const DocId> docs,
                                 const std::function<std::span<float>()>& next) {
  if (!context.known.empty()) return Writer(context, docs, next).run();
  for (std::size_t i = 0; i < bibliography_features().size(); ++i) {
    const std::span<float> column = next();
    std::fill(column.begin(), column.end(), kUnknown);
  }
}

}  // namespace mustcite::rank
