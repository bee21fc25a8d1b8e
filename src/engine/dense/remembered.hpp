#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace mustcite::dense {

/// What an encoder made of the last few texts. Not thread-safe.
class Remembered {
 public:
  explicit Remembered(std::size_t most) : most_(most) {}

  /// The texts that are not known. Everything is forgotten when they would be too many together.
  [[nodiscard]] std::vector<std::string_view> missing(std::span<const std::string> texts);
  void keep(std::string_view text, std::span<const float> numbers);
  [[nodiscard]] const std::vector<float>& at(const std::string& text) const { return known_.at(text); }

 private:
  std::size_t most_;
  std::unordered_map<std::string, std::vector<float>> known_;
};

/// Throws invalid_input, naming the model's folder, when one of them is infinite or not a number.
void expect_numbers(std::span<const float> made, const std::filesystem::path& model);

}  // namespace mustcite::dense
