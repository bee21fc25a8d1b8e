#include "engine/graph/bibliographic_graph.hpp"

#include <algorithm>

#include "core/base/error.hpp"
#include "core/base/threads.hpp"
#include "core/text/normalise.hpp"
#include "engine/snapshot/authors.hpp"

namespace mustcite::graph {
namespace {

/// The number of a name, a new one for a new name; nothing for one without letters.
void number(const std::string& name, std::unordered_map<std::string, std::uint32_t>& numbers,
            std::vector<std::uint32_t>& out) {
  const std::string key = text::fold(name);
  if (key.find_first_not_of(" .,-") == std::string::npos) return;
  out.push_back(numbers.emplace(key, static_cast<std::uint32_t>(numbers.size())).first->second);
}

std::vector<BibliographicGraph::Record> records_of(const snapshot::Snapshot& snapshot,
                                                   const Keywords& keywords, std::size_t threads) {
  std::vector<BibliographicGraph::Record> records(snapshot.size());
  parallel_for(records.size(), threads, [&](std::size_t row, std::size_t) {
    const auto view = snapshot.document(DocId{static_cast<std::uint32_t>(row)});
    for (const auto name : snapshot::split_authors(view.authors)) records[row].authors.emplace_back(name);
    records[row].venue = view.venue;
    records[row].keywords = keywords.of(view.title, view.abstract);
  });
  return records;
}

std::optional<std::uint32_t> found(const std::unordered_map<std::string, std::uint32_t>& nodes,
                                   std::string_view name) {
  const auto at = nodes.find(text::fold(name));
  return at == nodes.end() ? std::nullopt : std::optional(at->second);
}

}  // namespace

BibliographicGraph::BibliographicGraph(const snapshot::Snapshot& snapshot, const CitationGraph& citations,
                                       const Keywords& keywords, std::size_t threads)
    : citations_(&citations) {
  build(records_of(snapshot, keywords, threads), keywords.size());
}

BibliographicGraph::BibliographicGraph(const std::vector<Record>& records, const CitationGraph& citations,
                                       std::uint32_t keyword_count)
    : citations_(&citations) {
  build(records, keyword_count);
}

void BibliographicGraph::build(const std::vector<Record>& records, std::uint32_t keyword_count) {
  papers_ = static_cast<std::uint32_t>(records.size());
  if (papers_ != citations_->documents()) {
    fail(ErrorCode::invalid_input, "building the graph of papers: {} records for {} documents", papers_,
         citations_->documents());
  }
  std::vector<std::vector<std::uint32_t>> authors(papers_);
  std::vector<std::vector<std::uint32_t>> venue(papers_);
  for (std::uint32_t paper = 0; paper < papers_; ++paper) {
    for (const auto& name : records[paper].authors) number(name, author_nodes_, authors[paper]);
    number(records[paper].venue, venue_nodes_, venue[paper]);
  }
  first_venue_ = papers_ + static_cast<std::uint32_t>(author_nodes_.size());
  first_keyword_ = first_venue_ + static_cast<std::uint32_t>(venue_nodes_.size());
  nodes_ = first_keyword_ + keyword_count;
  for (auto& [name, node] : author_nodes_) node += papers_;
  for (auto& [name, node] : venue_nodes_) node += first_venue_;
  about_begin_.assign(1, 0);
  papers_begin_.assign(nodes_ - papers_ + 1, 0);
  for (std::uint32_t paper = 0; paper < papers_; ++paper) {
    const auto begin = static_cast<std::ptrdiff_t>(about_.size());
    for (const std::uint32_t author : authors[paper]) about_.push_back(papers_ + author);
    for (const std::uint32_t name : venue[paper]) about_.push_back(first_venue_ + name);
    for (const std::uint32_t keyword : records[paper].keywords) {
      if (keyword >= keyword_count)
        fail(ErrorCode::invalid_input, "building the graph of papers: keyword {} of {} at paper {}", keyword,
             keyword_count, paper);
      about_.push_back(first_keyword_ + keyword);
    }
    std::sort(about_.begin() + begin, about_.end());
    about_.erase(std::unique(about_.begin() + begin, about_.end()), about_.end());
    about_begin_.push_back(static_cast<std::uint32_t>(about_.size()));
    for (const std::uint32_t node : about(paper)) ++papers_begin_[node - papers_ + 1];
  }
  for (std::size_t i = 1; i < papers_begin_.size(); ++i) papers_begin_[i] += papers_begin_[i - 1];
  papers_of_.resize(about_.size());
  std::vector<std::uint32_t> next(papers_begin_.begin(), papers_begin_.end() - 1);
  for (std::uint32_t paper = 0; paper < papers_; ++paper) {
    for (const std::uint32_t node : about(paper)) papers_of_[next[node - papers_]++] = paper;
  }
}

std::optional<std::uint32_t> BibliographicGraph::author_node(std::string_view name) const {
  return found(author_nodes_, name);
}

std::optional<std::uint32_t> BibliographicGraph::venue_node(std::string_view name) const {
  return found(venue_nodes_, name);
}

std::span<const std::uint32_t> BibliographicGraph::papers_of(std::uint32_t node,
                                                             std::uint32_t documents) const {
  const std::uint32_t* const first = papers_of_.data() + papers_begin_[node - papers_];
  const std::uint32_t* const last = papers_of_.data() + papers_begin_[node - papers_ + 1];
  return {first, std::lower_bound(first, last, documents)};
}

void BibliographicGraph::citation_neighbours(std::uint32_t paper, std::uint32_t documents,
                                             std::uint32_t edges, std::vector<std::uint32_t>& out) const {
  for (const std::uint32_t e : citations_->cited_by(DocId{paper}, edges)) {
    const DocId citing = citations_->document_of(citations_->edge(e).citing);
    if (citing.value < documents) out.push_back(citing.value);
  }
  if (const auto citing = citations_->citing_of(DocId{paper})) {
    const auto range = citations_->references(*citing, edges);
    for (std::uint32_t e = range.first; e < range.last; ++e) {
      const auto& edge = citations_->edge(e);
      if (!citations_->is_self_citation(edge) && edge.cited.value < documents)
        out.push_back(edge.cited.value);
    }
  }
}

}  // namespace mustcite::graph
