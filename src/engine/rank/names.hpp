#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mustcite::rank {

/// How a paper came to own a name.
enum class NameKind : std::uint8_t {
  prefix = 1,    ///< one word before the colon of its title: "NAME: a dataset of …"
  title = 2,     ///< a word of its title written like a name: "BERT", "CIFAR-10", "ResNet"
  phrase = 3,    ///< two or three words before the colon of its title
  abstract_ = 4  ///< introduced in its abstract: "… (NAME)", "called NAME"
};

/// A name of a method or dataset, in lower case.
struct MinedName {
  std::string name;
  NameKind kind = NameKind::title;
  bool operator==(const MinedName&) const = default;
};

/// Names that a paper introduces, each once, in the order found.
[[nodiscard]] std::vector<MinedName> mine_names(std::string_view title, std::string_view abstract);

/// Words in which names are looked for: letters and digits, with + * inside and parts joined by - or _.
[[nodiscard]] std::vector<std::string_view> name_words(std::string_view text);

/// True for words written like a name: capitals inside, several capitals, or a capital and a digit.
[[nodiscard]] bool is_name_like(std::string_view word) noexcept;

}  // namespace mustcite::rank
