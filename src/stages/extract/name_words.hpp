#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace mustcite::extract {

/// Which words are names of people, and which are words of titles: from the counts in a catalog. Tells
/// "Yoshua" from "Learning" in a list that the labeller has not seen. Words are folded.
class NameWords {
 public:
  /// How a word is used.
  enum class Use : std::uint8_t { unknown, name, mostly_name, both, mostly_title, title };

  [[nodiscard]] Use use(std::string_view folded_word) const noexcept;
  [[nodiscard]] std::size_t size() const noexcept { return keys_.size(); }

  /// Counts words while papers go by.
  class Builder {
   public:
    void add_author(std::string_view name);
    void add_title(std::string_view title);
    /// Words seen at least `least` times.
    [[nodiscard]] NameWords build(std::uint32_t least) const;

   private:
    struct Counts {
      std::uint32_t names = 0;
      std::uint32_t titles = 0;
    };
    void add(std::string_view text, std::uint32_t Counts::*field);
    std::unordered_map<std::string, Counts> counts_;
  };

  [[nodiscard]] std::string to_bytes() const;
  /// Throws corrupt for anything that `to_bytes` did not write.
  static NameWords from_bytes(std::string_view bytes);

 private:
  std::vector<std::uint32_t> keys_;  ///< hashes of words, ascending
  std::vector<Use> uses_;
};

/// The 32-bit hash that words are kept under.
[[nodiscard]] std::uint32_t word_hash(std::string_view word) noexcept;

}  // namespace mustcite::extract
