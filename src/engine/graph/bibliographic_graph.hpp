#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/graph/citation_graph.hpp"
#include "engine/graph/keywords.hpp"

namespace mustcite::graph {

enum class NodeKind : std::uint8_t { paper, author, venue, keyword };
inline constexpr std::size_t kNodeKinds = 4;

/// Papers with their authors, venues and keywords as nodes of one graph: papers first (node = row), then
/// authors, venues, keywords. Lists of papers ascend, so "as of" is a prefix of each; a paper without known
/// authors, venue or keywords simply has none. An author is a folded full name: namesakes are one node. The
/// citations stay in the CitationGraph, which must outlive this. Immutable, thread-safe.
class BibliographicGraph {
 public:
  /// What stands in one paper's record, where there is no snapshot: tests and other sources.
  struct Record {
    std::vector<std::string> authors;
    std::string venue;
    std::vector<std::uint32_t> keywords;  ///< ids below `keyword_count`
  };
  BibliographicGraph(const snapshot::Snapshot& snapshot, const CitationGraph& citations,
                     const Keywords& keywords, std::size_t threads = 0);
  /// Throws invalid_input when there are not as many records as documents, or a keyword is out of range.
  BibliographicGraph(const std::vector<Record>& records, const CitationGraph& citations,
                     std::uint32_t keyword_count);

  [[nodiscard]] std::uint32_t papers() const noexcept { return papers_; }
  [[nodiscard]] std::uint32_t authors() const noexcept { return first_venue_ - papers_; }
  [[nodiscard]] std::uint32_t venues() const noexcept { return first_keyword_ - first_venue_; }
  [[nodiscard]] std::uint32_t keywords() const noexcept { return nodes_ - first_keyword_; }
  [[nodiscard]] std::uint32_t nodes() const noexcept { return nodes_; }
  [[nodiscard]] NodeKind kind(std::uint32_t node) const noexcept {
    if (node < papers_) return NodeKind::paper;
    if (node < first_venue_) return NodeKind::author;
    return node < first_keyword_ ? NodeKind::venue : NodeKind::keyword;
  }
  [[nodiscard]] std::optional<std::uint32_t> author_node(std::string_view name) const;
  [[nodiscard]] std::optional<std::uint32_t> venue_node(std::string_view name) const;
  [[nodiscard]] std::uint32_t keyword_node(std::uint32_t keyword) const { return first_keyword_ + keyword; }

  /// Authors, venue and keywords of a paper, ascending.
  [[nodiscard]] std::span<const std::uint32_t> about(std::uint32_t paper) const {
    return {about_.data() + about_begin_[paper], about_.data() + about_begin_[paper + 1]};
  }
  /// Papers below `documents` of an author, venue or keyword, ascending.
  [[nodiscard]] std::span<const std::uint32_t> papers_of(std::uint32_t node, std::uint32_t documents) const;
  /// Papers that cite, or are cited by, a paper, as of a date: appended to `out`.
  void citation_neighbours(std::uint32_t paper, std::uint32_t documents, std::uint32_t edges,
                           std::vector<std::uint32_t>& out) const;

 private:
  void build(const std::vector<Record>& records, std::uint32_t keyword_count);

  const CitationGraph* citations_;
  std::uint32_t papers_ = 0;
  std::uint32_t first_venue_ = 0;
  std::uint32_t first_keyword_ = 0;
  std::uint32_t nodes_ = 0;
  std::unordered_map<std::string, std::uint32_t> author_nodes_;
  std::unordered_map<std::string, std::uint32_t> venue_nodes_;
  std::vector<std::uint32_t> about_begin_;  ///< per paper, into about_
  std::vector<std::uint32_t> about_;
  std::vector<std::uint32_t> papers_begin_;  ///< per other node, into papers_of_
  std::vector<std::uint32_t> papers_of_;
};

}  // namespace mustcite::graph
