#include "core/learn/trees.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/base/error.hpp"
#include "core/base/hash.hpp"

namespace mustcite::learn {
namespace {

constexpr char kMagic[8] = {'M', 'C', 'T', 'R', 'E', 'E', '0', '1'};

struct Header {
  char magic[8];
  std::uint32_t features;
  std::uint32_t trees;
  std::uint32_t nodes;
  float base;
  std::uint32_t link;
  std::uint32_t reserved;
};
static_assert(sizeof(Header) == 32);

[[noreturn]] void damaged(const char* what) {
  fail(ErrorCode::corrupt, "reading a tree model: {}; train it again or reinstall it", what);
}

}  // namespace

std::uint32_t Trees::depth_of(std::span<const Node> nodes, std::uint32_t root) {
  std::uint32_t deepest = 0;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> open{{root, 0}};
  while (!open.empty()) {
    const auto [at, depth] = open.back();
    open.pop_back();
    deepest = std::max(deepest, depth);
    if (nodes[at].child != at) {
      open.emplace_back(nodes[at].child, depth + 1);
      open.emplace_back(nodes[at].child + 1, depth + 1);
    }
  }
  return deepest;
}

void Trees::finish() {
  check();
  depths_.clear();
  for (const std::uint32_t root : roots_) depths_.push_back(depth_of(nodes_, root));
}

void Trees::check() const {
  if (features_ >= kMissingLeft || nodes_.size() >= kMissingLeft) damaged("it is too large");
  for (std::size_t i = 0; i < roots_.size(); ++i) {
    const std::size_t end = i + 1 < roots_.size() ? roots_[i + 1] : nodes_.size();
    if (roots_[i] >= end || (i == 0 && roots_[0] != 0)) damaged("a tree has no nodes");
    // Children lie after their parent and inside the tree, each below one parent: so every way down ends, and
    // the work is bounded.
    std::vector<bool> seen(end - roots_[i], false);
    for (std::size_t n = roots_[i]; n < end; ++n) {
      const Node& node = nodes_[n];
      if (node.child == n) continue;
      if (node.child <= n || node.child + 1 >= end) damaged("a node points outside its tree");
      if ((node.feature & ~kMissingLeft) >= features_) damaged("a node asks for an unknown feature");
      if (seen[node.child - roots_[i]]) damaged("two nodes share a child");
      seen[node.child - roots_[i]] = seen[node.child + 1 - roots_[i]] = true;
    }
  }
}

void Trees::add_tree(std::vector<Node> nodes) {
  const auto first = static_cast<std::uint32_t>(nodes_.size());
  for (Node& node : nodes) node.child += first;
  roots_.push_back(first);
  nodes_.insert(nodes_.end(), nodes.begin(), nodes.end());
}

std::string Trees::to_bytes() const {
  Header header{};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.features = static_cast<std::uint32_t>(features_);
  header.trees = static_cast<std::uint32_t>(roots_.size());
  header.nodes = static_cast<std::uint32_t>(nodes_.size());
  header.base = base_;
  header.link = static_cast<std::uint32_t>(link_);
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
  bytes.append(reinterpret_cast<const char*>(roots_.data()), roots_.size() * sizeof(std::uint32_t));
  bytes.append(reinterpret_cast<const char*>(nodes_.data()), nodes_.size() * sizeof(Node));
  const std::uint64_t sum = checksum64(std::as_bytes(std::span(bytes)));
  bytes.append(reinterpret_cast<const char*>(&sum), sizeof sum);
  return bytes;
}

Trees Trees::from_bytes(std::string_view bytes) {
  Header header{};
  if (bytes.size() < sizeof header + sizeof(std::uint64_t)) damaged("it is cut short");
  std::memcpy(&header, bytes.data(), sizeof header);
  if (std::memcmp(header.magic, kMagic, sizeof kMagic) != 0) damaged("it is no tree model of this version");
  const std::uint64_t roots_size = std::uint64_t{header.trees} * sizeof(std::uint32_t);
  const std::uint64_t nodes_size = std::uint64_t{header.nodes} * sizeof(Node);
  if (bytes.size() != sizeof header + roots_size + nodes_size + sizeof(std::uint64_t))
    damaged("its size is wrong");
  std::uint64_t sum = 0;
  const std::string_view body = bytes.substr(0, bytes.size() - sizeof sum);
  std::memcpy(&sum, bytes.data() + body.size(), sizeof sum);
  if (sum != checksum64(std::as_bytes(std::span(body)))) damaged("its checksum is wrong");
  if (header.link > 1) damaged("its link function is unknown");
  Trees trees;
  trees.features_ = header.features;
  trees.base_ = header.base;
  trees.link_ = static_cast<Link>(header.link);
  trees.roots_.resize(header.trees);
  trees.nodes_.resize(header.nodes);
  if (roots_size > 0) std::memcpy(trees.roots_.data(), bytes.data() + sizeof header, roots_size);
  if (nodes_size > 0) std::memcpy(trees.nodes_.data(), bytes.data() + sizeof header + roots_size, nodes_size);
  trees.finish();
  return trees;
}

float Trees::margin(std::span<const float> row) const {
  float sum = base_;
  for (const std::uint32_t root : roots_) {
    std::uint32_t at = root;
    while (nodes_[at].child != at) {
      const Node& node = nodes_[at];
      const float value = row[node.feature & ~kMissingLeft];
      const bool left = std::isnan(value) ? (node.feature & kMissingLeft) != 0 : value < node.value;
      at = node.child + (left ? 0 : 1);
    }
    sum += nodes_[at].value;
  }
  return sum;
}

void Trees::margins(std::span<const float> rows, std::size_t stride, std::span<float> out) const {
  // Rows go through a tree in groups of kLanes: their loads are independent, so the waits overlap. A leaf
  // points at itself, so rows that arrive early stay where they are and no branch depends on the data.
  constexpr std::size_t kLanes = 16;
  const Node* const nodes = nodes_.data();
  std::fill(out.begin(), out.end(), base_);
  std::size_t begin = 0;
  for (; begin + kLanes <= out.size(); begin += kLanes) {
    const float* const first = rows.data() + begin * stride;
    float sums[kLanes];
    std::fill_n(sums, kLanes, base_);
    for (std::size_t t = 0; t < roots_.size(); ++t) {
      std::uint32_t at[kLanes];
      std::fill_n(at, kLanes, roots_[t]);
      for (std::uint32_t step = 0; step < depths_[t]; ++step) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
          const Node& node = nodes[at[lane]];
          const float value = first[lane * stride + (node.feature & ~kMissingLeft)];
          const std::uint32_t missing = value != value ? 1U : 0U;
          const std::uint32_t right =
              (missing & (~node.feature >> 31)) | ((missing ^ 1U) & (value < node.value ? 0U : 1U));
          at[lane] = node.child + (right & (node.child != at[lane] ? 1U : 0U));
        }
      }
      for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] += nodes[at[lane]].value;
    }
    std::copy_n(sums, kLanes, out.begin() + static_cast<std::ptrdiff_t>(begin));
  }
  for (; begin < out.size(); ++begin) out[begin] = margin(rows.subspan(begin * stride, stride));
}

float Trees::predict(std::span<const float> row) const {
  const float sum = margin(row);
  return link_ == Link::logistic ? 1.0F / (1.0F + std::exp(-sum)) : sum;
}

float Trees::contributions(std::span<const float> row, std::span<float> out) const {
  std::fill(out.begin(), out.end(), 0.0F);
  float bias = base_;
  for (const std::uint32_t root : roots_) {
    std::uint32_t at = root;
    bias += nodes_[root].mean;
    while (nodes_[at].child != at) {
      const Node& node = nodes_[at];
      const std::uint32_t feature = node.feature & ~kMissingLeft;
      const float value = row[feature];
      const bool left = std::isnan(value) ? (node.feature & kMissingLeft) != 0 : value < node.value;
      const std::uint32_t next = node.child + (left ? 0 : 1);
      out[feature] += nodes_[next].mean - node.mean;
      at = next;
    }
  }
  return bias;
}

}  // namespace mustcite::learn
