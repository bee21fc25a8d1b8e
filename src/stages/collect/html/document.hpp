#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// HTML as browsers read it (the HTML5 algorithm, by Gumbo), as a flat tree.
namespace mustcite::collect::html {

/// An element, or a piece of text (then `tag` is empty).
struct Node {
  std::string tag;  ///< lower case
  std::string text;
  std::vector<std::pair<std::string, std::string>> attributes;  ///< names in lower case
  std::uint32_t parent = 0;
  std::uint32_t end = 0;  ///< one past the last node inside: the inside of node i is [i + 1, end)
};

/// Nodes in document order; node 0 is the root. Comments are dropped.
class Document {
 public:
  /// Reads any bytes (UTF-8 is expected, see decode_page). Time, memory and depth are bounded: throws
  /// exhausted for a page that needs more than its size explains.
  explicit Document(std::string_view page);

  [[nodiscard]] const std::vector<Node>& nodes() const noexcept { return nodes_; }

 private:
  std::vector<Node> nodes_;
};

/// One element of a document, or none: questions to none give nothing, so that a chain of them needs no
/// checks. Valid while its document lives.
class Element {
 public:
  Element() = default;
  explicit Element(const Document& document, std::uint32_t index = 0) : document_(&document), index_(index) {}

  explicit operator bool() const noexcept { return document_ != nullptr; }
  [[nodiscard]] std::string_view tag() const;
  /// The value of an attribute; empty when it is not there.
  [[nodiscard]] std::string_view attribute(std::string_view name) const;
  [[nodiscard]] bool has_attribute(std::string_view name) const;
  [[nodiscard]] bool has_class(std::string_view name) const;
  /// The text inside: white space folded, block elements and line breaks separated, scripts and styles left
  /// out. Inline markup leaves no blank.
  [[nodiscard]] std::string text() const;
  /// The text of this element's own pieces, without that of elements inside.
  [[nodiscard]] std::string own_text() const;

  [[nodiscard]] Element parent() const;
  [[nodiscard]] Element next_sibling() const;  ///< the next element
  [[nodiscard]] std::vector<Element> children() const;

  /// Elements inside that match a selector: compound parts (`tag`, `.class`, `#id`, `[name]`, `[name=value]`,
  /// `[name*=part]`, `[name^=start]`) joined by blanks (inside) and `>` (child), alternatives by `,`.
  [[nodiscard]] std::vector<Element> all(std::string_view selector) const;
  [[nodiscard]] Element first(std::string_view selector) const;
  [[nodiscard]] bool matches(std::string_view selector) const;

  [[nodiscard]] std::uint32_t index() const noexcept { return index_; }
  [[nodiscard]] const Document& document() const noexcept { return *document_; }
  bool operator==(const Element&) const = default;

 private:
  [[nodiscard]] const Node& node() const { return document_->nodes()[index_]; }

  const Document* document_ = nullptr;
  std::uint32_t index_ = 0;
};

/// The text between two places of a document: from after the inside of `from` to `to` (none: the end of
/// `from`'s parent).
[[nodiscard]] std::string text_after(const Element& from, const Element& to);

}  // namespace mustcite::collect::html
