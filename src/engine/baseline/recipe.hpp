#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/baseline/settings.hpp"

/// The published baselines that are trained here: one interface, whatever is inside.
namespace mustcite::baseline {

/// Names of the baselines: `ar-gnn`, `hatten-rr`, `ktr`, `litfm`.
[[nodiscard]] const std::vector<std::string>& names();
/// The baseline that a model name belongs to: itself, or what stands before a variant ("ar-gnn-gat" is an
/// "ar-gnn"). Empty for other names.
[[nodiscard]] std::string family_of(std::string_view model_name);

/// How a baseline is trained: one TOML file.
struct Recipe {
  std::string name;      ///< of the file without its ending: the model's name
  std::string baseline;  ///< one of `names()`
  std::string source;    ///< the file's text
  std::string notes;

  /// [training]: the same keys for every baseline.
  struct Training {
    int first_year = 0;  ///< of the training queries; 0: no bound
    int last_year = 0;
    std::size_t epochs = 5;  ///< at most, of each stage
    std::size_t batch = 128;  ///< queries of a step; 0: all that may be learnt from together
    double rate = 1e-3;
    std::size_t patience = 2;       ///< epochs without a better one after which a stage ends; 0: never
    double held_out = 0.1;          ///< share of the training queries that measure and are not learnt from
    std::size_t documents = 10000;  ///< ranked in a measurement beside all relevant ones
    std::size_t queries = 300;      ///< at most, in a measurement
    std::string features = "auto";  ///< of texts: see open_text_vectors
    std::uint64_t seed = 1;
  } training;

  Settings model;  ///< [model]: what the baseline itself reads
};

/// Throws not_found, or invalid_input for broken TOML, unknown keys, wrong kinds and impossible values.
[[nodiscard]] Recipe read_recipe(const std::filesystem::path& file);
[[nodiscard]] Recipe parse_recipe(std::string_view toml, std::string_view name);

}  // namespace mustcite::baseline
