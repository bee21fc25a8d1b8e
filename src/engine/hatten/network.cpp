#include "engine/hatten/network.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/error.hpp"

namespace mustcite::hatten {
namespace {

/// Papers that are computed together.
constexpr std::size_t kGroup = 64;

}  // namespace

Network::Network(const Shape& shape, std::uint64_t seed, const at::Tensor& table)
    : shape_(shape), parameters_(seed) {
  if (shape.width % shape.heads != 0) {
    fail(ErrorCode::invalid_input, "a width of {} cannot be split among {} heads", shape.width, shape.heads);
  }
  if (shape.given > 0) {
    // An undefined table is one that `load_weights` fills.
    table_ = parameters_.fixed("words", table.defined() ? table : at::zeros({shape.words, shape.given}));
    project_ = parameters_.linear("project", shape.given, shape.width);
  } else {
    table_ = parameters_.normal("words", {shape.words, shape.width}, 1);
  }
  positions_ = sinusoids(std::max<std::int64_t>(shape.longest, 2), shape.width);
  kinds_ = parameters_.normal("kinds", {2, shape.width}, 1);
  word_layer_ = make_attention_layer(parameters_, "word_layer", shape.width, shape.heads, shape.inner);
  word_pooling_ = make_attention_pooling(parameters_, "word_pooling", shape.width, shape.heads);
  paragraph_layer_ =
      make_attention_layer(parameters_, "paragraph_layer", shape.width, shape.heads, shape.inner);
  paragraph_pooling_ = make_attention_pooling(parameters_, "paragraph_pooling", shape.width, shape.heads);
}

at::Tensor Network::paragraphs(std::span<const PaperWords* const> papers, Paragraph part,
                               double dropout) const {
  const auto rows = static_cast<std::int64_t>(papers.size());
  std::size_t time = 1;
  for (const auto* paper : papers) time = std::max(time, (paper->*part).size());
  time = std::min(time, static_cast<std::size_t>(shape_.longest));
  auto ids = at::zeros({rows, static_cast<std::int64_t>(time)}, at::kLong);
  auto mask = at::zeros({rows, static_cast<std::int64_t>(time)}, at::kBool);
  for (std::size_t row = 0; row < papers.size(); ++row) {
    const auto& words = papers[row]->*part;
    for (std::size_t i = 0; i < std::min(time, words.size()); ++i) {
      ids.data_ptr<std::int64_t>()[row * time + i] = words[i];
      mask.data_ptr<bool>()[row * time + i] = true;
    }
  }
  auto x = at::embedding(table_, ids);
  if (shape_.given > 0) x = at::linear(x, project_.weight, project_.bias);
  x = x + positions_.narrow(0, 0, static_cast<std::int64_t>(time));
  return apply(word_pooling_, apply(word_layer_, x, mask, dropout), mask);
}

at::Tensor Network::group(std::span<const PaperWords* const> papers, double dropout) const {
  auto mask = at::zeros({static_cast<std::int64_t>(papers.size()), 2}, at::kBool);
  for (std::size_t row = 0; row < papers.size(); ++row) {
    mask.data_ptr<bool>()[2 * row] = !papers[row]->title.empty();
    mask.data_ptr<bool>()[2 * row + 1] = !papers[row]->abstract.empty();
  }
  const auto parts = at::stack(
      {paragraphs(papers, &PaperWords::title, dropout), paragraphs(papers, &PaperWords::abstract, dropout)},
      1);
  // Scaled as Transformers scale what they add positions to: what the paragraphs say must outweigh which they
  // are.
  const auto x = parts * std::sqrt(static_cast<double>(shape_.width)) + positions_.narrow(0, 0, 2) + kinds_;
  return apply(paragraph_pooling_, apply(paragraph_layer_, x, mask, dropout), mask);
}

at::Tensor Network::vectors(std::span<const PaperWords* const> papers, double dropout) const {
  if (papers.empty()) return at::zeros({0, shape_.width});
  std::vector<std::size_t> order(papers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return papers[a]->abstract.size() > papers[b]->abstract.size();
  });
  std::vector<at::Tensor> groups;
  auto places = at::empty({static_cast<std::int64_t>(papers.size())}, at::kLong);
  for (std::size_t begin = 0; begin < order.size(); begin += kGroup) {
    std::vector<const PaperWords*> members;
    for (std::size_t i = begin; i < std::min(order.size(), begin + kGroup); ++i) {
      members.push_back(papers[order[i]]);
      places.data_ptr<std::int64_t>()[order[i]] = static_cast<std::int64_t>(i);
    }
    groups.push_back(group(members, dropout));
  }
  return at::cat(groups).index_select(0, places);
}

}  // namespace mustcite::hatten
