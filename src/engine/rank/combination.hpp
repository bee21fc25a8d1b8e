#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/learn/logistic.hpp"
#include "core/schema/paper.hpp"
#include "engine/rank/view.hpp"

namespace mustcite::rank {

/// How a method's score and a cross-encoder's become one: a linear score over what both say of a document
/// and of its list. Learned on queries that the cross-encoder has not seen, for one method and tier.
struct Combination {
  std::string method;
  Tier tier = Tier::must;
  std::size_t depth = 0;     ///< results of a list that it was learned on, and is used for
  std::string model_digest;  ///< of the cross-encoder
  learn::LinearModel linear;
  std::string training_record;  ///< JSON: years, counts, measures
};

/// Columns of the linear score, in order. Bound to the format of the file.
[[nodiscard]] const std::vector<std::string>& combination_columns();

/// One row of `combination_columns().size()` values a document, row-major. `list` is best first, at most as
/// long as the combination's depth; `cross[i]` is the cross-encoder's score of `list[i]`.
[[nodiscard]] std::vector<float> combination_rows(std::span<const Scored> list, std::span<const float> cross);

/// Where the combination for a method and a tier lies in the folder of a cross-encoder.
[[nodiscard]] std::filesystem::path combination_file(const std::filesystem::path& folder,
                                                     const std::string& method, Tier tier);
void save_combination(const Combination& combination, const std::filesystem::path& file);
/// Nothing when there is no file. Throws corrupt when it is damaged, of another format or of another model.
[[nodiscard]] std::optional<Combination> load_combination(const std::filesystem::path& file,
                                                          const std::string& model_digest);

}  // namespace mustcite::rank
