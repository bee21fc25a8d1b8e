#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "stages/extract/native/layout.hpp"

namespace mustcite::extract::native {

/// All lines of a paper, one after another in reading order. The layout must outlive it.
class Flow {
 public:
  explicit Flow(const Layout& layout);
  [[nodiscard]] std::size_t size() const noexcept { return lines_.size(); }
  [[nodiscard]] const Line& operator[](std::size_t at) const noexcept { return *lines_[at]; }
  [[nodiscard]] const std::string& text(std::size_t at) const noexcept { return texts_[at]; }
  [[nodiscard]] const Layout& layout() const noexcept { return *layout_; }
  /// Lines of a page: [first, last).
  [[nodiscard]] std::pair<std::size_t, std::size_t> page(std::uint32_t number) const;
  /// True when line `at` stands under the one before it in the same column.
  [[nodiscard]] bool follows(std::size_t at) const;

 private:
  const Layout* layout_;
  std::vector<const Line*> lines_;
  std::vector<std::string> texts_;
  std::vector<std::size_t> page_begins_;
};

/// Letters and digits of a text in lower case, without a leading section number.
[[nodiscard]] std::string heading_key(std::string_view text);

/// A line that looks like a heading by its type, length and place alone.
[[nodiscard]] bool looks_like_heading(const Flow& flow, std::size_t at);

/// Joins a line to what stands before it: a hyphen at the end goes when a small letter follows and the word
/// is not one that is written with a hyphen elsewhere.
void join_line(std::string& text, std::string_view line);

}  // namespace mustcite::extract::native
