#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/schema/paper.hpp"
#include "engine/model/cross_encoder.hpp"
#include "engine/model/model_folder.hpp"
#include "engine/train/learner.hpp"

namespace mustcite::train {

/// Where hard negatives come from.
enum class NegativeSource {
  none,
  bm25,          ///< ranked high by bm25 as of the query's date, not cited
  second_order,  ///< cited by what the query cites, not cited by it
  run            ///< ranked high by a run file given on the command line
};

/// How a model is trained: one TOML file a published system, or a variant of it.
struct Recipe {
  std::string name;    ///< the file's name without its ending
  std::string source;  ///< the file's text
  std::string notes;   ///< what it stands for, where its numbers come from

  struct Model {
    std::string base;  ///< a name in models/, or a folder
    std::optional<model::Pooling> pooling;
    std::optional<bool> normalise;
    model::Head head = model::Head::pooler;  ///< of a cross-encoder, where the base has none
    /// Special tokens that the model learns besides its own: "[TS]".
    std::vector<std::string> tokens;
  } model;

  struct Examples {
    Tier tier = Tier::all;  ///< citations that count as positives
    int first_year = 0;     ///< of the training queries; 0: no bound
    int last_year = 0;
    std::size_t positives = 1;  ///< of a query in a batch
    std::size_t negatives = 1;  ///< hard ones of a query in a batch
    NegativeSource source = NegativeSource::bm25;
    std::size_t first_rank = 10;  ///< hard negatives are drawn from these ranks
    std::size_t last_rank = 200;
    /// Training queries are the paragraphs of this file, not whole papers; empty: whole papers.
    std::string paragraphs;
    bool related_work_only = false;  ///< of the paragraphs
    bool topic = true;               ///< their queries carry the topic sentence
    /// What a paragraph's query should find.
    enum class Scope {
      paragraph,  ///< what the paragraph cites
      section     ///< what the related-work sections of its paper cite
    };
    Scope scope = Scope::paragraph;
    /// Negatives of each pool: cited in another paragraph of related work, cited elsewhere in the paper,
    /// cited by what it cites.
    std::vector<std::size_t> pools{3, 3, 4};
    double held_out = 0.1;  ///< share of the citing papers whose paragraphs measure and never train
  } examples;

  struct Schedule {
    std::size_t batch = 32;      ///< queries of one batch
    std::size_t accumulate = 1;  ///< batches of one step
    std::size_t epochs = 1;
    std::size_t steps = 0;  ///< at most; 0: as the epochs give
    double rate = 2e-5;
    double warmup = 0.1;           ///< share of the steps in which the rate rises
    bool decay = true;             ///< the rate then falls to 0 linearly, else it stays
    std::size_t max_length = 256;  ///< tokens of a text in training
  } schedule;

  struct Dev {
    /// What chooses the step that is kept.
    enum class Metric { recall_100, r_precision };
    Metric metric = Metric::recall_100;
    Tier tier = Tier::all;
    std::size_t every = 200;   ///< steps between measurements; 0: only at the end
    std::size_t patience = 3;  ///< measurements without a better one after which training stops; 0: never
    std::size_t documents = 20000;  ///< beside all relevant papers, so many others are ranked
    std::size_t queries = 200;      ///< at most
    /// Share of the training queries that cross-encoders are measured with and never see.
    double held_out = 0;
  } dev;

  LearnerOptions learner;
};

/// Reads a recipe. Throws not_found, or invalid_input naming line or key: unknown keys, wrong types,
/// impossible values.
[[nodiscard]] Recipe read_recipe(const std::filesystem::path& file);
[[nodiscard]] Recipe parse_recipe(std::string_view toml, std::string_view where);

}  // namespace mustcite::train
