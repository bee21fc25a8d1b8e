#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/rank/ranker.hpp"

/// Why a document stands where it stands.
namespace mustcite::rank {

/// What one view thinks of the document.
struct ViewShare {
  std::string view;
  float score = 0;
  std::uint32_t place = 0;  ///< among the candidates, from 1; 0: the view does not find it
};

/// A paper like the query that cites the document.
struct Supporter {
  std::uint32_t citing = 0;  ///< row of Snapshot::citing
  float similarity = 0;      ///< weight of its vote, the nearest paper's being 1
  std::optional<int> mentions;
  std::optional<int> exp_mentions;
};

/// How older papers use the document, by the sections that mention it.
struct Roles {
  std::uint32_t experiments = 0;  ///< sentences in sections such as Experiments or Results
  std::uint32_t method = 0;
  std::uint32_t related = 0;  ///< related work
  std::uint32_t introduction = 0;
  std::uint32_t other = 0;
};
/// Counts a sentence under the role of its section.
void count_role(Roles& roles, std::string_view section);

/// A sentence in which an older paper cites the document.
struct CitingEvidence {
  std::uint32_t evidence = 0;  ///< row of the snapshot's evidence
  std::uint32_t context = 0;
  float score = 0;  ///< BM25 of the query in the sentence
};

/// A feature and what it adds to the margin of the trees.
struct FeatureShare {
  std::string name;
  float value = 0;
  float contribution = 0;
};

struct Explanation {
  DocId doc;
  std::vector<ViewShare> views;       ///< of the views that find it, best place first
  std::vector<std::string> terms;     ///< shared with title and abstract, strongest first (stems)
  std::vector<std::string> names;     ///< its own names that the query mentions
  std::vector<Supporter> supporters;  ///< nearest first; at most 20 papers were asked
  std::uint32_t asked = 0;            ///< nearest papers that were asked
  CitedCounts cited;
  Roles roles;
  std::optional<CitingEvidence> sentence;  ///< the one most like the query
  Probabilities probabilities;
};

/// What each view thinks of a candidate (its row in `Ranking::candidates`), best place first; views that do
/// not find it are left out.
[[nodiscard]] std::vector<ViewShare> view_shares(const Ranking& ranking, std::size_t row);

/// Explains the i-th ranked document.
[[nodiscard]] Explanation explain(const Ranker& ranker, const Ranking& ranking, std::size_t i);

/// Every feature of the i-th ranked document with its share of the tier's margin, largest share in size
/// first.
[[nodiscard]] std::vector<FeatureShare> explain_features(const Ranker& ranker, const Ranking& ranking,
                                                         std::size_t i, Tier tier);

}  // namespace mustcite::rank
