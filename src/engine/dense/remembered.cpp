#include "engine/dense/remembered.hpp"

#include <cmath>

#include "core/base/error.hpp"

namespace mustcite::dense {

std::vector<std::string_view> Remembered::missing(std::span<const std::string> texts) {
  std::vector<std::string_view> missing;
  for (const std::string& text : texts) {
    if (!known_.contains(text)) missing.push_back(text);
  }
  if (!missing.empty() && known_.size() + missing.size() > most_) known_.clear();
  return missing;
}

void Remembered::keep(std::string_view text, std::span<const float> numbers) {
  known_.insert_or_assign(std::string(text), std::vector<float>(numbers.begin(), numbers.end()));
}

void expect_numbers(std::span<const float> made, const std::filesystem::path& model) {
  for (const float value : made) {
    if (!std::isfinite(value))
      fail(ErrorCode::invalid_input, "the model in {} gives numbers that are none", model.string());
  }
}

}  // namespace mustcite::dense
