#include "stages/collect/html/document.hpp"

#include <gumbo.h>

#include <algorithm>
#include <chrono>
#include <csetjmp>
#include <cstdlib>
#include <memory>

#include "core/base/ascii.hpp"
#include "core/base/error.hpp"

namespace mustcite::collect::html {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kBlock = std::size_t{1} << 20;
constexpr std::size_t kFreeBytes = std::size_t{64} << 20;
constexpr std::size_t kBytesPerByte = 60;  // of memory for one of a page; real pages take up to 20
constexpr std::chrono::milliseconds kFreeTime{2000};
constexpr double kMicrosecondsPerByte = 3;  // real pages take a tenth of it
constexpr std::uint32_t kDeepest = 2000;

/// All memory of one parse. Gumbo frees its tree by recursion, which a deeply nested page would turn into a
/// stack overflow, and its time and memory are not bounded: here the tree is dropped as a whole, and a parse
/// that wants too much of either ends by a jump out of it (Gumbo is C: nothing needs unwinding).
class Arena {
 public:
  explicit Arena(std::size_t page_bytes)
      : most_(kFreeBytes + kBytesPerByte * page_bytes),
        until_(Clock::now() + kFreeTime +
               std::chrono::microseconds(
                   static_cast<std::int64_t>(kMicrosecondsPerByte * static_cast<double>(page_bytes)))) {}
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  std::jmp_buf out;

  static void* allocate(void* user, std::size_t size) { return static_cast<Arena*>(user)->take(size); }
  static void release(void*, void*) {}

 private:
  void* take(std::size_t size) {
    size = (size + 15) / 16 * 16;
    used_ += size;
    if (used_ > most_ || ((++calls_ & 1023U) == 0 && Clock::now() > until_)) std::longjmp(out, 1);
    if (size > left_) {
      const std::size_t block = std::max(size, kBlock);
      blocks_.emplace_back(new (std::nothrow) char[block]);
      if (blocks_.back() == nullptr) std::longjmp(out, 1);
      next_ = blocks_.back().get();
      left_ = block;
    }
    char* const taken = next_;
    next_ += size;
    left_ -= size;
    return taken;
  }

  std::size_t most_;
  Clock::time_point until_;
  std::size_t used_ = 0;
  std::size_t calls_ = 0;
  std::vector<std::unique_ptr<char[]>> blocks_;
  char* next_ = nullptr;
  std::size_t left_ = 0;
};

/// The parse itself, apart from everything that has a destructor.
GumboOutput* parse_into(Arena& arena, std::string_view page) {
  GumboOptions options = kGumboDefaultOptions;
  options.allocator = &Arena::allocate;
  options.deallocator = &Arena::release;
  options.userdata = &arena;
  options.max_errors = 0;
  if (setjmp(arena.out) != 0) return nullptr;
  return gumbo_parse_with_options(&options, page.data(), page.size());
}

std::string tag_of(const GumboElement& element) {
  if (element.tag != GUMBO_TAG_UNKNOWN) return gumbo_normalized_tagname(element.tag);
  GumboStringPiece piece = element.original_tag;
  gumbo_tag_from_original_text(&piece);
  return ascii_lower({piece.data == nullptr ? "" : piece.data, piece.data == nullptr ? 0 : piece.length});
}

void append_element(const GumboElement& element, std::uint32_t parent, std::vector<Node>& nodes) {
  Node node;
  node.tag = tag_of(element);
  node.parent = parent;
  for (unsigned i = 0; i < element.attributes.length; ++i) {
    const auto* attribute = static_cast<const GumboAttribute*>(element.attributes.data[i]);
    node.attributes.emplace_back(ascii_lower(attribute->name), attribute->value);
  }
  nodes.push_back(std::move(node));
}

/// Copies the tree without recursion. What lies deeper than kDeepest is left out.
void flatten(const GumboNode* root, std::vector<Node>& nodes) {
  struct Open {
    const GumboVector* children;
    unsigned next;
    std::uint32_t index;
  };
  std::vector<Open> open;
  append_element(root->v.element, 0, nodes);
  open.push_back({&root->v.element.children, 0, 0});
  while (!open.empty()) {
    Open& top = open.back();
    if (top.next == top.children->length) {
      nodes[top.index].end = static_cast<std::uint32_t>(nodes.size());
      open.pop_back();
      continue;
    }
    const auto* child = static_cast<const GumboNode*>(top.children->data[top.next++]);
    const auto index = static_cast<std::uint32_t>(nodes.size());
    const std::uint32_t parent = top.index;
    switch (child->type) {
      case GUMBO_NODE_ELEMENT:
      case GUMBO_NODE_TEMPLATE:
        if (open.size() >= kDeepest) break;
        append_element(child->v.element, parent, nodes);
        open.push_back({&child->v.element.children, 0, index});
        break;
      case GUMBO_NODE_TEXT:
      case GUMBO_NODE_WHITESPACE:
      case GUMBO_NODE_CDATA:
        nodes.push_back({{}, child->v.text.text, {}, parent, index + 1});
        break;
      case GUMBO_NODE_DOCUMENT:
      case GUMBO_NODE_COMMENT:
        break;
    }
  }
}

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

bool is_block(std::string_view tag) {
  static constexpr std::string_view kBlocks[] = {
      "address", "article", "aside", "blockquote", "br",      "center", "dd", "div",    "dl", "dt", "footer",
      "form",    "h1",      "h2",    "h3",         "h4",      "h5",     "h6", "header", "hr", "li", "main",
      "nav",     "ol",      "p",     "pre",        "section", "table",  "td", "th",     "tr", "ul"};
  return std::find(std::begin(kBlocks), std::end(kBlocks), tag) != std::end(kBlocks);
}

/// Gathers text with white space folded.
class TextBuilder {
 public:
  void gap() { gap_ = true; }
  void add(std::string_view piece) {
    for (const char c : piece) {
      if (is_blank(c)) {
        gap_ = true;
        continue;
      }
      if (gap_ && !text_.empty()) text_.push_back(' ');
      gap_ = false;
      text_.push_back(c);
    }
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
  bool gap_ = false;
};

std::string text_of_range(const std::vector<Node>& nodes, std::uint32_t begin, std::uint32_t end) {
  TextBuilder text;
  for (std::uint32_t i = begin; i < end;) {
    const Node& node = nodes[i];
    if (node.tag == "script" || node.tag == "style" || node.tag == "template") {
      i = node.end;
      continue;
    }
    // A block's end also separates; it is seen as a step out of it, by the parent of what follows.
    if (node.tag.empty()) {
      text.add(node.text);
    } else if (is_block(node.tag)) {
      text.gap();
    }
    ++i;
    for (std::uint32_t above = node.parent; i < end && nodes[above].end == i && above >= begin;
         above = nodes[above].parent) {
      if (is_block(nodes[above].tag)) text.gap();
    }
  }
  return text.take();
}

}  // namespace

Document::Document(std::string_view page) {
  Arena arena(page.size());
  const GumboOutput* const output = parse_into(arena, page);
  if (output == nullptr) {
    fail(ErrorCode::exhausted,
         "reading a page of {} bytes: it takes more time or memory than its size explains; "
         "look at it by hand",
         page.size());
  }
  flatten(output->root, nodes_);
}

std::string_view Element::tag() const {
  return document_ == nullptr ? std::string_view() : std::string_view(node().tag);
}

std::string_view Element::attribute(std::string_view name) const {
  if (document_ == nullptr) return {};
  for (const auto& [key, value] : node().attributes) {
    if (key == name) return value;
  }
  return {};
}

bool Element::has_attribute(std::string_view name) const {
  if (document_ == nullptr) return false;
  return std::any_of(node().attributes.begin(), node().attributes.end(),
                     [&](const auto& attribute) { return attribute.first == name; });
}

bool Element::has_class(std::string_view name) const {
  std::string_view classes = attribute("class");
  while (!classes.empty()) {
    const auto end = std::find_if(classes.begin(), classes.end(), is_blank);
    const auto length = static_cast<std::size_t>(end - classes.begin());
    if (classes.substr(0, length) == name) return true;
    classes.remove_prefix(std::min(classes.size(), length + 1));
  }
  return false;
}

std::string Element::text() const {
  if (document_ == nullptr) return {};
  return text_of_range(document_->nodes(), index_ + 1, node().end);
}

std::string Element::own_text() const {
  if (document_ == nullptr) return {};
  TextBuilder text;
  const auto& nodes = document_->nodes();
  for (std::uint32_t i = index_ + 1; i < node().end; i = nodes[i].end) {
    if (nodes[i].tag.empty()) {
      text.add(nodes[i].text);
    } else {
      text.gap();
    }
  }
  return text.take();
}

Element Element::parent() const {
  if (document_ == nullptr || index_ == 0) return {};
  return Element(*document_, node().parent);
}

Element Element::next_sibling() const {
  if (document_ == nullptr || index_ == 0) return {};
  const auto& nodes = document_->nodes();
  const std::uint32_t end = nodes[node().parent].end;
  for (std::uint32_t i = node().end; i < end; i = nodes[i].end) {
    if (!nodes[i].tag.empty()) return Element(*document_, i);
  }
  return {};
}

std::vector<Element> Element::children() const {
  std::vector<Element> found;
  if (document_ == nullptr) return found;
  const auto& nodes = document_->nodes();
  for (std::uint32_t i = index_ + 1; i < node().end; i = nodes[i].end) {
    if (!nodes[i].tag.empty()) found.emplace_back(*document_, i);
  }
  return found;
}

std::string text_after(const Element& from, const Element& to) {
  if (!from) return {};
  const auto& nodes = from.document().nodes();
  const Node& begin = nodes[from.index()];
  const std::uint32_t end = to ? to.index() : nodes[begin.parent].end;
  return begin.end < end ? text_of_range(nodes, begin.end, end) : std::string();
}

}  // namespace mustcite::collect::html
