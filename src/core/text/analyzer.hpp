#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mustcite::text {

/// Turns text into index terms. Thread-safe: one analyzer may serve all threads.
class Analyzer {
 public:
  virtual ~Analyzer() = default;
  /// Appends the terms of `text` to `terms`, in order, repetitions kept.
  virtual void analyze(std::string_view text, std::vector<std::string>& terms) const = 0;
  /// Name and version, written into index manifests: an index answers only queries analysed the same way.
  [[nodiscard]] virtual std::string name() const = 0;

  [[nodiscard]] std::vector<std::string> terms(std::string_view text) const {
    std::vector<std::string> result;
    analyze(text, result);
    return result;
  }
};

/// `plain`: lower case, terms `[a-z0-9]+(?:[-_][a-z0-9]+)*`, no stemming, no stop words.
/// `english` (default): the same terms, stop words removed, Porter stems; accents folded first.
/// Throws usage for any other name.
[[nodiscard]] std::unique_ptr<Analyzer> make_analyzer(const std::string& name);

}  // namespace mustcite::text
