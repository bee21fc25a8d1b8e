#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/progress.hpp"
#include "core/schema/paper.hpp"
#include "core/schema/trec.hpp"
#include "engine/baseline/ranker.hpp"
#include "engine/dense/build.hpp"
#include "engine/late/build.hpp"
#include "engine/rank/combination_fit.hpp"
#include "engine/rank/cross_reranker.hpp"
#include "engine/rank/view.hpp"
#include "engine/recommend/account.hpp"
#include "engine/recommend/index_folder.hpp"

/// What must this work cite, and why?
namespace mustcite::recommend {

using rank::Query;

/// Opens a trained baseline by its model's name; asked for only by methods of a baseline (baseline::family_of).
using BaselineFactory =
    std::function<std::unique_ptr<baseline::Ranker>(const std::string& name, const baseline::World& world)>;

/// Which papers may come back. Empty lists and zero years: no restriction.
struct Filters {
  std::vector<std::string> venues;
  int first_year = 0;
  int last_year = 0;
  /// Likely roles: "baseline", "dataset", "method", "background". The learned ranker alone tells roles.
  std::vector<std::string> roles;
  /// Least calibrated probability in the tier that orders the answer; 0: any. The learned ranker alone has one.
  double min_probability = 0;

  /// Restrictions that a paper's record answers.
  [[nodiscard]] bool on_record() const noexcept { return !venues.empty() || first_year != 0 || last_year != 0; }
  /// Restrictions that only the learned ranker answers.
  [[nodiscard]] bool on_ranking() const noexcept { return !roles.empty() || min_probability > 0; }
};

struct Options {
  /// A method of rank::method_names(), a trained baseline, or the name of a recipe whose vectors lie in the index. `mustcite` without a model, or without any citation in the index, becomes
  /// `bm25`, and a note says so.
  std::string method = "mustcite";
  /// Whose trees order the answer of `mustcite`.
  Tier tier = Tier::must;
  /// k1 and b of the method `bm25`.
  index::Bm25 bm25;
  std::size_t depth = 20;
  /// Late interaction scores every document instead of candidates.
  bool exhaustive = false;
  /// In runs the scores of `mustcite` are calibrated probabilities of the tier instead of margins.
  bool probabilities = false;
  Filters filters;
  /// Puts the best results into a new order before the answer is cut to `depth`; see `open_reranker`. It is
  /// asked after the filters, and outlives the call. None: the method's order.
  const rank::Reranker* reranker = nullptr;
};

/// A term of the query and what it added to the text score of a paper.
struct TermShare {
  std::string term;
  float score = 0;
};

struct Row {
  DocId doc;
  Paper paper;  ///< without abstract
  float score = 0;
  std::vector<TermShare> terms;  ///< the most telling first
  /// What the learned ranker knows besides; empty for other methods.
  std::map<Tier, float> probability;  ///< calibrated
  std::vector<std::string> reasons;   ///< one line each, strongest first
  std::string role;                   ///< "baseline", "dataset", "method" or "background", from how it is cited; may be empty
  std::string evidence;               ///< a sentence in which an older paper cites it; may be empty
};

/// What an answer can be drawn from.
struct Coverage {
  std::uint64_t documents = 0;
  int first_year = 0;
  int last_year = 0;
  std::string newest_title;
  std::vector<VenueCount> venues;  ///< by falling number of documents
};

struct Answer {
  std::string method;
  std::vector<Row> rows;
  Coverage coverage;
  std::string reranker;         ///< what put the best results into a new order; empty: nothing did
  std::size_t rerank_depth = 0;
  std::optional<Date> before;
  std::size_t known = 0;        ///< works said to be cited already
  std::size_t known_found = 0;  ///< those of them that the index holds
  /// What a reader must know: terms that no document has, a topic outside the catalog, a method that fell back.
  std::vector<std::string> notes;
};

struct RecommenderImpl;

/// What reads queries for methods with a model of their own; each is asked for only by these.
struct Readers {
  dense::EncoderFactory texts;         ///< for dense retrieval and baselines
  late::TokenEncoderFactory tokens{};  ///< for late interaction
  BaselineFactory baselines{};         ///< opens trained baselines
};

/// Answers queries from one index folder. Thread-safe.
class Recommender {
 public:
  /// Opens an index and, where one is given, the model folder of the learned ranker.
  /// Throws not_found or corrupt, naming the command that builds the index or trains the model.
  static Recommender open(const std::filesystem::path& index_folder,
                          const std::optional<std::filesystem::path>& model_folder, Readers readers = {});
  Recommender(Recommender&&) noexcept;
  Recommender& operator=(Recommender&&) noexcept;
  ~Recommender();

  /// Throws invalid_input when the query has no term that can be searched for, usage for an unknown method or for a
  /// filter that the method cannot answer.
  [[nodiscard]] Answer answer(const Query& query, const Options& options) const;

  /// Ranks every query on all cores; a query without a searchable term gets an empty list and a line in `notes`.
  /// The result does not depend on the number of threads.
  [[nodiscard]] Run answer_all(const std::vector<Query>& queries, const Options& options, std::size_t threads,
                               Progress& progress, std::vector<std::string>& notes) const;

  /// A cross-encoder over the results of this index. `options.method` says whose: the method that really
  /// ranks, should another stand in for it.
  [[nodiscard]] std::unique_ptr<rank::CrossReranker> open_reranker(const std::filesystem::path& model,
                                                                   rank::CrossRerankerOptions options) const;

  /// Learns how the method's score and the cross-encoder's become one, from the citing papers of some years:
  /// see rank::fit_combination.
  [[nodiscard]] rank::Combination fit_combination(const rank::CrossReranker& reranker, const Options& options,
                                                  const rank::CombinationOptions& how,
                                                  rank::CombinationReport& report, Progress& progress) const;

  /// Where one paper, given by its id or title, stands for the query and why. Needs the learned ranker: throws not_found
  /// without a model or without citations.
  [[nodiscard]] Account account(const Query& query, const Options& options, const std::string& id_or_title) const;

  /// Documents that the entries of a bibliography mean; entries that the index does not hold are left out.
  [[nodiscard]] std::vector<PaperId> link(const std::vector<Reference>& bibliography) const;

  /// Papers by their title: those with the same title first, then the closest titles.
  [[nodiscard]] Answer search_title(const std::string& title, std::size_t depth) const;

  [[nodiscard]] const IndexInfo& info() const noexcept;

  /// Probability from which a paper counts as missing in a draft, by tier, as the training of the model for
  /// drafts (else of the plain one) chose it; empty without a model.
  [[nodiscard]] std::map<Tier, double> missing_thresholds() const;

 private:
  explicit Recommender(std::unique_ptr<RecommenderImpl> impl);
  std::unique_ptr<RecommenderImpl> impl_;
};

}  // namespace mustcite::recommend
