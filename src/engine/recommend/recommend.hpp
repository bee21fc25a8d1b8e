#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/progress.hpp"
#include "core/schema/paper.hpp"
#include "core/schema/trec.hpp"
#include "engine/rank/view.hpp"
#include "engine/recommend/index_folder.hpp"

/// What must this work cite, and why?
namespace mustcite::recommend {

using rank::Query;

/// Which papers may come back. Empty lists and zero years: no restriction.
struct Filters {
  std::vector<std::string> venues;
  int first_year = 0;
  int last_year = 0;

  [[nodiscard]] bool active() const noexcept { return !venues.empty() || first_year != 0 || last_year != 0; }
};

struct Options {
  /// A method of rank::method_names(). `mustcite` without a model, or without any citation in the index, becomes
  /// `bm25`, and a note says so.
  std::string method = "mustcite";
  /// Whose trees order the answer of `mustcite`.
  Tier tier = Tier::must;
  /// k1 and b of the method `bm25`.
  index::Bm25 bm25;
  std::size_t depth = 20;
  Filters filters;
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
  std::optional<Date> before;
  /// What a reader must know: terms that no document has, a topic outside the catalog, a method that fell back.
  std::vector<std::string> notes;
};

/// Answers queries from one index folder. Thread-safe.
class Recommender {
 public:
  /// Opens an index and, where one is given, the model folder of the learned ranker.
  /// Throws not_found or corrupt, naming the command that builds the index or trains the model.
  static Recommender open(const std::filesystem::path& index_folder,
                          const std::optional<std::filesystem::path>& model_folder);
  Recommender(Recommender&&) noexcept;
  Recommender& operator=(Recommender&&) noexcept;
  ~Recommender();

  /// Throws invalid_input when the query has no term that can be searched for, usage for an unknown method.
  [[nodiscard]] Answer answer(const Query& query, const Options& options) const;

  /// Ranks every query on all cores; a query without a searchable term gets an empty list and a line in `notes`.
  /// The result does not depend on the number of threads.
  [[nodiscard]] Run answer_all(const std::vector<Query>& queries, const Options& options, std::size_t threads,
                               Progress& progress, std::vector<std::string>& notes) const;

  /// Papers by their title: those with the same title first, then the closest titles.
  [[nodiscard]] Answer search_title(const std::string& title, std::size_t depth) const;

  [[nodiscard]] const IndexInfo& info() const noexcept;

  /// Probability from which a paper counts as missing in a draft, by tier, as the model's training chose it; empty
  /// without a model.
  [[nodiscard]] std::map<Tier, double> missing_thresholds() const;

 private:
  struct Impl;
  explicit Recommender(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace mustcite::recommend
