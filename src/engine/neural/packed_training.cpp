#include "engine/neural/packed_training.hpp"

#include <algorithm>
#include <mutex>

#include "core/base/error.hpp"
#include "core/base/threads.hpp"
#include "engine/neural/packed_bert.hpp"
#include "engine/neural/packed_layers.hpp"
#include "engine/neural/packed_pass.hpp"
#include "engine/neural/torch_autograd.hpp"

namespace mustcite::neural {
namespace {

/// Texts of one padded group of the plain pass: sorted by length first, so padding stays small.
constexpr std::size_t kGroup = 16;

/// The weights of the encoder proper, by `place`: what a packed pass takes.
std::vector<at::Tensor> encoder_weights(const Bert& bert) {
  Weights all = bert.weights();
  std::vector<at::Tensor> tensors;
  for (const auto& [name, tensor] : all.named()) {
    if (!name.starts_with("dense.")) tensors.push_back(*tensor);
  }
  return tensors;
}

#ifdef MUSTCITE_AMX

/// The way back of one call.
class StatesNode final : public torch::autograd::Node {
 public:
  StatesNode(std::shared_ptr<PackedPass> pass, const std::vector<at::Tensor>& weights)
      : Node(torch::autograd::collect_next_edges(weights)), pass_(std::move(pass)) {
    for (const auto& weight : weights) shapes_.push_back(weight.sizes().vec());
  }

  torch::autograd::variable_list apply(torch::autograd::variable_list&& gradients) override {
    torch::autograd::variable_list result(shapes_.size());
    if (!gradients[0].defined()) return result;
    if (!pass_) fail(ErrorCode::internal, "a backward pass was asked for twice");
    const auto gradient = gradients[0].contiguous();
    std::vector<float*> sums;
    std::vector<std::size_t> sizes;
    std::vector<at::Tensor> all;
    for (std::size_t i = 0; i < shapes_.size(); ++i) {
      all.push_back(pass_->computes(i) ? at::zeros(shapes_[i], at::kFloat) : at::Tensor());
      sums.push_back(all[i].defined() ? all[i].data_ptr<float>() : nullptr);
      sizes.push_back(all[i].defined() ? static_cast<std::size_t>(all[i].numel()) : 0);
    }
    pass_->backward(gradient.data_ptr<float>(), sums, sizes);
    for (std::size_t i = 0; i < shapes_.size(); ++i) {
      if (task_should_compute_output(i)) result[i] = std::move(all[i]);
    }
    return result;
  }

  void release_variables() override { pass_.reset(); }

 private:
  std::shared_ptr<PackedPass> pass_;
  std::vector<std::vector<std::int64_t>> shapes_;
};

#endif

bool plain_and_whole(const std::vector<at::Tensor>& weights, std::size_t layers) {
  return weights.size() == place::of(layers, 0) &&
         std::all_of(weights.begin(), weights.end(), [](const at::Tensor& weight) {
           return weight.scalar_type() == at::kFloat && weight.is_contiguous();
         });
}

}  // namespace

struct TokenStates::Impl {
  const Bert& bert;
  TokenStatesOptions options;
  std::size_t threads;
  bool packed = false;
  NetworkShape shape;
  std::shared_ptr<PassPool> pool = std::make_shared<PassPool>();

  [[nodiscard]] at::Tensor by_hand(std::span<const model::Encoding* const> texts) const;
  [[nodiscard]] at::Tensor by_operators(std::span<const model::Encoding* const> texts) const;
};

TokenStates::TokenStates(const Bert& bert, const TokenStatesOptions& options)
    : impl_(new Impl{bert, options, options.threads > 0 ? options.threads : available_cores(), false, {}}) {
  const auto& folder = bert.folder();
  const auto activation = packed_activation(folder.config.activation);
  const bool dropout =
      options.dropout && (folder.config.hidden_dropout > 0 || folder.config.attention_dropout > 0);
  impl_->packed = options.mixed && !dropout && !folder.adapter && activation && PackedBert::fits(folder) &&
                  plain_and_whole(encoder_weights(bert), static_cast<std::size_t>(folder.config.layers));
  if (!impl_->packed) return;
  impl_->shape = {static_cast<std::size_t>(folder.config.layers),
                  static_cast<std::size_t>(folder.config.hidden_size),
                  static_cast<std::size_t>(folder.config.heads),
                  static_cast<std::size_t>(folder.config.intermediate_size),
                  static_cast<float>(folder.config.norm_eps),
                  *activation};
}

TokenStates::~TokenStates() = default;
TokenStates::TokenStates(TokenStates&&) noexcept = default;

bool TokenStates::packed() const noexcept {
  return impl_->packed;
}

at::Tensor TokenStates::operator()(std::span<const model::Encoding* const> texts) const {
  if (texts.empty()) return at::empty({0, impl_->bert.folder().config.hidden_size}, at::kFloat);
  return impl_->packed ? impl_->by_hand(texts) : impl_->by_operators(texts);
}

at::Tensor TokenStates::vectors(std::span<const model::Encoding* const> texts) const {
  return impl_->bert.vectors_of((*this)(texts), texts);
}

#ifdef MUSTCITE_AMX

at::Tensor TokenStates::Impl::by_hand(std::span<const model::Encoding* const> texts) const {
  const auto weights = encoder_weights(bert);
  const bool gradients = c10::GradMode::is_enabled();
  const auto trains = [&](std::size_t place) { return gradients && weights[place].requires_grad(); };
  PackedShare::Trained trained{shape.layers, false};
  for (std::size_t place = weights.size(); place-- > place::kFirstLayer;) {
    if (trains(place)) trained.lowest = (place - place::kFirstLayer) / place::kOfLayer;
  }
  for (std::size_t place = 0; place < place::kFirstLayer; ++place)
    trained.embeddings = trained.embeddings || trains(place);
  if (trained.embeddings) trained.lowest = 0;

  std::vector<PackedShare::Text> copies;
  std::int64_t tokens = 0;
  for (const auto* text : texts) {
    if (static_cast<std::int64_t>(text->ids.size()) > bert.folder().config.positions) {
      fail(ErrorCode::internal, "a text of {} tokens came to a model with {} positions", text->ids.size(),
           bert.folder().config.positions);
    }
    copies.push_back({text->ids, text->types});
    tokens += static_cast<std::int64_t>(text->ids.size());
  }
  std::vector<const float*> values;
  for (const auto& weight : weights) values.push_back(weight.data_ptr<float>());
  const auto pass = pool->take();
  pass->prepare(shape, std::move(values), trained, std::move(copies), threads);
  auto states = at::empty({tokens, bert.folder().config.hidden_size}, at::kFloat);
  pass->forward(states.data_ptr<float>());
  if (trained.lowest == shape.layers && !trained.embeddings) return states;
  const std::shared_ptr<StatesNode> node(new StatesNode(pass, weights), torch::autograd::deleteNode);
  torch::autograd::set_history(states, node);
  return states;
}

#else

at::Tensor TokenStates::Impl::by_hand(std::span<const model::Encoding* const>) const {
  fail(ErrorCode::internal, "this program was compiled without AMX");
}

#endif

at::Tensor TokenStates::Impl::by_operators(std::span<const model::Encoding* const> texts) const {
  std::vector<std::size_t> order(texts.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return texts[a]->ids.size() > texts[b]->ids.size(); });
  std::vector<at::Tensor> states(texts.size());
  for (std::size_t begin = 0; begin < order.size(); begin += kGroup) {
    std::vector<const model::Encoding*> group;
    const std::size_t end = std::min(order.size(), begin + kGroup);
    for (std::size_t i = begin; i < end; ++i) group.push_back(texts[order[i]]);
    const auto batch = make_batch(group, bert.folder().config.pad_token);
    const auto last = bert.hidden_states(batch, {options.mixed, options.dropout}).back();
    for (std::size_t i = begin; i < end; ++i) {
      states[order[i]] = last.select(0, static_cast<std::int64_t>(i - begin))
                             .narrow(0, 0, static_cast<std::int64_t>(texts[order[i]]->ids.size()));
    }
  }
  return at::cat(states);
}

}  // namespace mustcite::neural
