#include "engine/gnn/sampling.hpp"

#include <algorithm>
#include <random>
#include <set>
#include <unordered_map>

#include "core/base/error.hpp"

namespace mustcite::gnn {
namespace {

std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// The nodes of a block in the order they are met.
class Numbering {
 public:
  explicit Numbering(std::vector<std::uint32_t>& nodes) : nodes_(nodes) {}
  std::uint32_t operator()(std::uint32_t node) {
    const auto [at, is_new] = numbers_.emplace(node, static_cast<std::uint32_t>(nodes_.size()));
    if (is_new) nodes_.push_back(node);
    return at->second;
  }

 private:
  std::vector<std::uint32_t>& nodes_;
  std::unordered_map<std::uint32_t, std::uint32_t> numbers_;
};

bool cites(const graph::CitationGraph& citations, std::uint32_t a, std::uint32_t b, std::uint32_t edges) {
  const auto citing = citations.citing_of(DocId{a});
  if (!citing) return false;
  const auto range = citations.references(*citing, edges);
  for (std::uint32_t e = range.first; e < range.last; ++e) {
    if (citations.edge(e).cited.value == b) return true;
  }
  return false;
}

}  // namespace

std::vector<std::uint32_t> sample_places(std::uint32_t size, std::size_t count, std::uint64_t key) {
  std::vector<std::uint32_t> places;
  if (count == 0 || count >= size) {
    for (std::uint32_t i = 0; i < size; ++i) places.push_back(i);
    return places;
  }
  // Floyd's way: each step adds one of the places up to it, or itself when that one is taken.
  for (std::uint32_t last = size - static_cast<std::uint32_t>(count); last < size; ++last) {
    const auto drawn = static_cast<std::uint32_t>(mixed(key ^ (std::uint64_t{last} << 32)) % (last + 1));
    const bool taken = std::find(places.begin(), places.end(), drawn) != places.end();
    places.push_back(taken ? last : drawn);
  }
  std::sort(places.begin(), places.end());
  return places;
}

bool NeighbourSampler::is_known(std::uint32_t node) const {
  return !graph_.papers_of(node, as_of_.documents).empty();
}

void NeighbourSampler::add_about(std::span<const std::uint32_t> about, std::uint64_t key,
                                 std::vector<std::uint32_t>& out) const {
  for (const std::uint32_t place :
       sample_places(static_cast<std::uint32_t>(about.size()), fanout_.about, key))
    out.push_back(about[place]);
}

std::vector<std::uint32_t> NeighbourSampler::neighbours(std::uint32_t node) const {
  std::vector<std::uint32_t> found;
  const std::uint64_t key = mixed(seed_ ^ mixed(node));
  if (graph_.kind(node) != graph::NodeKind::paper) {
    const auto papers = graph_.papers_of(node, as_of_.documents);
    for (const auto place : sample_places(static_cast<std::uint32_t>(papers.size()), fanout_.papers, key))
      found.push_back(papers[place]);
    return found;
  }
  add_about(graph_.about(node), key, found);
  std::vector<std::uint32_t> cited;
  graph_.citation_neighbours(node, as_of_.documents, as_of_.edges, cited);
  std::sort(cited.begin(), cited.end());
  cited.erase(std::unique(cited.begin(), cited.end()), cited.end());
  for (const auto place : sample_places(static_cast<std::uint32_t>(cited.size()), fanout_.citations, key + 1))
    found.push_back(cited[place]);
  return found;
}

std::vector<std::uint32_t> NeighbourSampler::neighbours(const Newcomer& newcomer) const {
  std::vector<std::uint32_t> about;
  for (const std::uint32_t node : newcomer) {
    if (is_known(node)) about.push_back(node);  // a keyword that no older paper has says nothing
  }
  std::vector<std::uint32_t> found;
  add_about(about, mixed(seed_), found);
  return found;
}

std::size_t NeighbourSampler::degree(std::uint32_t node) const {
  const auto capped = [](std::size_t count, std::size_t most) {
    return most == 0 ? count : std::min(count, most);
  };
  if (graph_.kind(node) != graph::NodeKind::paper)
    return 1 + capped(graph_.papers_of(node, as_of_.documents).size(), fanout_.papers);
  std::vector<std::uint32_t> cited;
  graph_.citation_neighbours(node, as_of_.documents, as_of_.edges, cited);
  std::sort(cited.begin(), cited.end());
  const auto different = static_cast<std::size_t>(std::unique(cited.begin(), cited.end()) - cited.begin());
  return 1 + capped(graph_.about(node).size(), fanout_.about) + capped(different, fanout_.citations);
}

Block NeighbourSampler::block(std::span<const DocId> papers, std::span<const Newcomer> newcomers) const {
  Block block;
  Numbering number(block.nodes);
  for (const DocId paper : papers) {
    if (paper.value >= as_of_.documents || number(paper.value) + 1 != block.nodes.size())
      fail(ErrorCode::invalid_input, "vectors of papers as of a date: row {} is newer or stands twice",
           paper.value);
  }
  block.papers = static_cast<std::uint32_t>(papers.size());
  block.seeds = block.papers + static_cast<std::uint32_t>(newcomers.size());
  block.nodes.resize(block.seeds, kNewcomer);
  std::vector<std::uint32_t> begin{0};
  std::vector<std::uint32_t> columns;
  const auto add_row = [&](std::uint32_t row, const std::vector<std::uint32_t>& found) {
    columns.push_back(row);
    for (const std::uint32_t node : found) columns.push_back(number(node));
    begin.push_back(static_cast<std::uint32_t>(columns.size()));
  };
  for (std::uint32_t row = 0; row < block.seeds; ++row)
    add_row(row,
            row < block.papers ? neighbours(block.nodes[row]) : neighbours(newcomers[row - block.papers]));
  block.inner = static_cast<std::uint32_t>(block.nodes.size());
  block.second = std::make_shared<Sparse>(begin, columns, block.inner);
  for (std::uint32_t row = block.seeds; row < block.inner; ++row) add_row(row, neighbours(block.nodes[row]));
  block.first = std::make_shared<Sparse>(std::move(begin), std::move(columns),
                                         static_cast<std::uint32_t>(block.nodes.size()));
  const auto& ends = block.first->begin();
  for (std::uint32_t row = 0; row < block.inner; ++row)
    block.degrees.push_back(static_cast<float>(ends[row + 1] - ends[row]));
  for (std::size_t row = block.inner; row < block.nodes.size(); ++row)
    block.degrees.push_back(static_cast<float>(degree(block.nodes[row])));
  for (const std::uint32_t node : block.nodes)
    block.kinds.push_back(node == kNewcomer ? graph::NodeKind::paper : graph_.kind(node));
  return block;
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> sample_non_edges(const graph::CitationGraph& citations,
                                                                      std::uint32_t papers,
                                                                      std::uint32_t edges, std::size_t count,
                                                                      std::uint64_t seed) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> taken;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  std::mt19937_64 random(seed);
  for (std::size_t tries = 0; papers > 1 && pairs.size() < count && tries < 20 * count; ++tries) {
    const auto a = static_cast<std::uint32_t>(random() % papers);
    const auto b = static_cast<std::uint32_t>(random() % papers);
    if (a == b || cites(citations, a, b, edges) || cites(citations, b, a, edges)) continue;
    if (taken.insert(std::minmax(a, b)).second) pairs.emplace_back(a, b);
  }
  return pairs;
}

}  // namespace mustcite::gnn
