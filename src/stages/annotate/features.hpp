#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stages/annotate/instance.hpp"
#include "stages/annotate/sentence_model.hpp"

namespace mustcite::annotate {

/// Names of the columns that the local judge sees, in order. A model keeps them and refuses other ones.
[[nodiscard]] const std::vector<std::string>& feature_names();

/// One row: mention counts, sections, wording, neighbours in the brackets, likeness of the titles, age.
/// Finite for every instance, also for one without a context. `sentences` may be null: its columns are then
/// 0.
[[nodiscard]] std::vector<float> features_of(const Instance& instance, const SentenceModel* sentences);

}  // namespace mustcite::annotate
