#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/schema/paper.hpp"
#include "stages/annotate/instance.hpp"

namespace mustcite::annotate {

/// A versioned prompt: what a judge is asked, as a file that anybody can replace (docs/formats/prompts.md).
struct Prompt {
  std::string name;
  std::string version;
  Tier tier = Tier::type1;
  std::string system;
  std::string user;    ///< with {citing_title}, {cited_title}, {cited_year}, {cited_as}, {contexts}
  std::string digest;  ///< sha256 of the file
  int run = 1;         ///< the how-manieth time the same is asked, to see whether the judge is steady

  /// `type1-v1@0123abcd`: goes into labels, so that an edited file never passes for the one it was made from.
  /// Runs after the first end in their number, `type1-v1@0123abcd~2`: their labels live side by side.
  [[nodiscard]] std::string definition() const;
  /// What the cache knows the prompt by: no run finds the replies of another.
  [[nodiscard]] std::string identity() const;
  /// The user's part with the instance filled in. Braces inside titles and sentences stay as they are.
  [[nodiscard]] std::string fill(const Instance& instance) const;
};

/// Throws not_found, or invalid_input for a file without its parts or with an unknown placeholder.
[[nodiscard]] Prompt read_prompt(const std::filesystem::path& file);
[[nodiscard]] Prompt parse_prompt(std::string_view text, const std::string& file_name);

/// A reply of at most a few tokens, read strictly.
struct Reply {
  enum class Kind {
    clean,       ///< the digit alone
    dressed,     ///< one admissible digit, with punctuation, marks or a label such as "Score:" around it
    unreadable,  ///< no digit, several, or one that is not on the scale
    empty
  };
  Kind kind = Kind::empty;
  std::optional<int> value;  ///< of clean and dressed replies
};
[[nodiscard]] Reply read_reply(std::string_view text, Tier tier);

}  // namespace mustcite::annotate
