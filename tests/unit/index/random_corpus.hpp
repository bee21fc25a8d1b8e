#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "engine/index/sparse_index.hpp"

namespace mustcite::index::test {

/// Whole numbers from a seed, the same everywhere.
class Dice {
 public:
  explicit Dice(std::uint32_t seed) : engine_(seed) {}
  std::uint32_t operator()(std::uint32_t below) { return static_cast<std::uint32_t>(engine_() % below); }
  /// In [0, 1).
  double fraction() { return static_cast<double>(engine_()) / 4294967296.0; }

 private:
  std::mt19937 engine_;
};

/// Texts of made-up words whose frequencies fall as in real ones; some rows are empty, some repeat, some are long.
inline std::vector<std::string> random_corpus(std::uint32_t rows, std::uint32_t words, std::uint32_t seed) {
  Dice dice(seed);
  std::vector<std::string> texts;
  for (std::uint32_t row = 0; row < rows; ++row) {
    if (row > 0 && dice(9) == 0) {  // a copy: equal scores
      const std::string copy = texts[dice(row)];
      texts.push_back(copy);
      continue;
    }
    std::uint32_t length = dice(23);
    if (dice(50) == 0) length *= 20;
    std::string text;
    for (std::uint32_t i = 0; i < length; ++i) {
      const auto word = static_cast<std::uint32_t>(std::pow(dice.fraction(), 3) * words);
      text += "w" + std::to_string(word) + " ";
    }
    texts.push_back(text);
  }
  return texts;
}

/// BM25 computed from the texts alone, in double, by its formula: knows nothing of the index.
class BruteForce {
 public:
  explicit BruteForce(const std::vector<std::string>& texts) {
    for (const auto& text : texts) {
      std::vector<std::string> terms;
      for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find(' ', begin), text.size());
        if (end > begin) terms.push_back(text.substr(begin, end - begin));
        begin = end + 1;
      }
      rows_.push_back(terms);
    }
  }

  [[nodiscard]] std::uint32_t document_frequency(const std::string& term, std::uint32_t prefix) const {
    std::uint32_t count = 0;
    for (std::uint32_t row = 0; row < prefix; ++row) count += frequency(term, row) > 0;
    return count;
  }

  [[nodiscard]] std::vector<double> scores(const std::vector<std::pair<std::string, double>>& query,
                                           std::uint32_t prefix, double k1, double b) const {
    double total = 0;
    for (std::uint32_t row = 0; row < prefix; ++row) total += static_cast<double>(rows_[row].size());
    const double average = total / prefix;
    std::vector<double> scores(prefix, 0);
    for (const auto& [term, weight] : query) {
      const double df = document_frequency(term, prefix);
      const double idf = std::log(1 + (prefix - df + 0.5) / (df + 0.5));
      for (std::uint32_t row = 0; row < prefix; ++row) {
        const double tf = frequency(term, row);
        if (tf == 0) continue;
        const auto length = static_cast<double>(rows_[row].size());
        scores[row] += weight * idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / average));
      }
    }
    return scores;
  }

 private:
  [[nodiscard]] double frequency(const std::string& term, std::uint32_t row) const {
    return static_cast<double>(std::count(rows_[row].begin(), rows_[row].end(), term));
  }
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace mustcite::index::test
