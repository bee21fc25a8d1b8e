#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/dense/retriever.hpp"
#include "engine/late/retriever.hpp"
#include "engine/rank/cross_reranker.hpp"
#include "engine/rank/methods.hpp"
#include "engine/rank/ranker.hpp"
#include "engine/rank/resources.hpp"
#include "engine/recommend/recommend.hpp"

/// Shared by recommend.cpp, account.cpp and bibliography.cpp only.
namespace mustcite::recommend {

struct RecommenderImpl {
  IndexInfo info;
  rank::Resources resources;
  std::optional<rank::Model> model;
  std::optional<rank::Model> draft_model;  ///< for queries that say what they cite already
  std::filesystem::path folder;            ///< of the index
  Readers readers;
  mutable std::mutex retrievers_mutex = {};
  mutable std::map<std::string, std::unique_ptr<const dense::Retriever>> retrievers = {};  ///< opened so far, by recipe
  struct OpenBaseline {
    baseline::World world;
    std::unique_ptr<const baseline::Ranker> ranker;
  };
  mutable std::map<std::string, OpenBaseline> baselines = {};  ///< opened so far, by name; guarded by retrievers_mutex
  mutable std::map<std::string, std::unique_ptr<const late::Retriever>> late_retrievers = {};

  /// The vectors of a recipe, opened at the first call; nothing when the index has none.
  [[nodiscard]] const dense::Retriever* retriever(const std::string& recipe) const;
  /// The same of the token vectors of a recipe.
  [[nodiscard]] const late::Retriever* late_retriever(const std::string& recipe) const;

  /// What scores pairs for learned rankers that were trained with a cross-encoder.
  std::unique_ptr<const rank::CrossReranker> cross = {};

  /// Opens the models that the learned rankers stand on. Throws not_found or corrupt when the index has not these.
  void attach_vectors();
  /// Throws not_found or corrupt when the cross-encoder of a ranker is not the one that it was trained with.
  void open_cross(const rank::Model& reader);
  /// `digest` is that of the model behind the index's vectors; null: the index has none of that recipe. `option` trains
  /// the ranker with them.
  void check_encoder(const rank::Model& reader, const rank::Model::Encoder& wanted, const char* option,
                     const std::string* digest) const;
  /// The trained baseline of that name, opened at the first call; nothing when it is the name of none.
  [[nodiscard]] const baseline::Ranker* baseline(const std::string& name) const;

  [[nodiscard]] const rank::Model* model_for(const Query& query) const {
    if (draft_model && !query.known.empty()) return &*draft_model;
    return model ? &*model : nullptr;
  }
  /// The method asked for, or what stands in for it; `notes` says why. Throws usage when the filters need the learned
  /// ranker and another method answers.
  [[nodiscard]] std::unique_ptr<rank::Method> method(const Options& options, std::vector<std::string>& notes) const;
  /// The best `depth` papers that pass the filters. A filter asks the method for ever more until enough pass.
  [[nodiscard]] std::vector<rank::Scored> ranked(const rank::Method& method, const Query& query,
                                                 const Options& options) const;
  /// The same for a run: the learned ranker is that of the query, and answers every filter.
  [[nodiscard]] std::vector<rank::Scored> ranked_for_run(const rank::Method& method, const Query& query,
                                                         const Options& options) const;
  /// Places in the ranking of the first `asked(options)` papers that pass every filter.
  [[nodiscard]] std::vector<std::size_t> passing(const rank::Ranker& ranker, const rank::Ranking& ranking,
                                                 const Options& options) const;
  /// Results that are needed: those shown, and those that a reranker wants to see.
  [[nodiscard]] static std::size_t asked(const Options& options) {
    return options.reranker == nullptr ? options.depth : std::max(options.depth, options.reranker->depth());
  }
  /// The lists in the reranker's order, cut to what is shown.
  static void rerank(std::span<const Query> queries, std::span<std::vector<rank::Scored>> lists, const Options& options);
  void add_rows(Answer& answer, const std::vector<rank::Scored>& found, const Query& query, const index::Bm25& bm25) const;
  /// The learned ranker's rows: ranked once, filtered, and the ones shown explained.
  void add_explained_rows(Answer& answer, const Query& query, const Options& options) const;
  [[nodiscard]] std::vector<index::QueryTerm> terms_of(const Query& query) const;
  /// Notes when even the likeliest paper is unlikely.
  static void note_foreign_topic(Answer& answer, const Options& options);
  /// Notes when the learned ranker has to do without latent views.
  void note_blindness(Answer& answer, const Query& query) const;
  [[nodiscard]] Coverage coverage() const {
    return {info.documents, info.first_year, info.last_year, info.newest_title, info.venues};
  }
};

[[nodiscard]] Paper paper_of(const snapshot::DocumentView& document);
/// True when venue and year of the document pass.
[[nodiscard]] bool passes(const snapshot::DocumentView& document, const Filters& filters);
/// Title, abstract and topic, one under the other.
[[nodiscard]] std::string query_text(const Query& query);
/// Throws invalid_input.
[[noreturn]] void refuse_empty_query();

}  // namespace mustcite::recommend
