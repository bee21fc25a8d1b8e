#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mustcite::audit::latex {

/// A place in the sources by numbers; the reader turns it into a file name.
struct Place {
  std::uint32_t file = 0;
  std::uint32_t line = 0;
};

/// The stack of texts being read: files, and on them the bodies of macros. Reading goes on in the text below when
/// the one on top is used up. Arguments are found in one text only, in bounded time.
class Scanner {
 public:
  /// Pushes a file. `file` numbers it.
  void push_file(std::string content, std::uint32_t file);
  /// Pushes the body of a macro; its places are those of the call.
  void push_body(std::string body);
  /// Drops the rest of the topmost file and of the macros above it.
  void end_file();

  [[nodiscard]] bool empty() const noexcept { return frames_.empty(); }
  /// Files on the stack.
  [[nodiscard]] std::size_t file_depth() const noexcept { return file_depth_; }
  [[nodiscard]] std::size_t depth() const noexcept { return frames_.size(); }
  [[nodiscard]] bool has_file(std::uint32_t file) const noexcept;
  /// The topmost file.
  [[nodiscard]] std::uint32_t file() const noexcept;
  [[nodiscard]] bool in_macro() const noexcept { return !frames_.empty() && !frames_.back().is_file; }

  /// True when the text on top is used up. `pop` then leaves it.
  [[nodiscard]] bool at_end() const noexcept { return frames_.back().at >= frames_.back().text.size(); }
  void pop();

  /// What is left of the text on top.
  [[nodiscard]] std::string_view rest() const noexcept {
    return std::string_view(frames_.back().text).substr(frames_.back().at);
  }
  void skip(std::size_t bytes) noexcept { frames_.back().at += bytes; }
  [[nodiscard]] Place place();
  /// The place `offset` bytes further in the text on top.
  [[nodiscard]] Place place_at(std::size_t offset);

  /// Skips white space (at most one line end followed by text: a blank line stays) and comments before an argument,
  /// leaving used-up macros.
  void skip_to_argument();
  /// Reads `{…}` or a single token. False, with nothing read, when there is none or its end is not found near.
  bool argument(std::string& content, std::size_t most = 4096);
  /// Reads `[…]`, braces inside respected.
  bool bracket(std::string& content, std::size_t most = 4096);
  /// Reads `open … close` of single characters such as `<…>`.
  bool delimited(char open, char close, std::string& content, std::size_t most);
  /// A `*` directly behind a command.
  bool star();
  /// Reads the name of a command; `rest()` must start with a backslash. One character when it is no letter.
  std::string command_name();

 private:
  struct Frame {
    std::string text;
    std::size_t at = 0;
    std::uint32_t file = 0;
    bool is_file = false;
    std::size_t counted = 0;  ///< line ends before this offset are in `line`
    std::uint32_t line = 1;
  };

  std::vector<Frame> frames_;
  std::size_t file_depth_ = 0;
  /// Bytes looked through for an end that was not there: beyond a bound, only short arguments are found.
  std::size_t wasted_ = 0;
};

/// Index behind the brace that closes the one at `text[0]`, or npos when it is not within `most` bytes. Escaped braces
/// and comments are passed over.
[[nodiscard]] std::size_t closing_brace(std::string_view text, std::size_t most);

/// The text without its comments: from an unescaped % to the end of the line, the line end included.
[[nodiscard]] std::string without_comments(std::string_view text);

}  // namespace mustcite::audit::latex
