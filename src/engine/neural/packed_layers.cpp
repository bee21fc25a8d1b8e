#include "engine/neural/packed_layers.hpp"

namespace mustcite::neural {

std::vector<float> values_of(const at::Tensor& tensor) {
  const at::Tensor flat = tensor.detach().contiguous();
  return {flat.data_ptr<float>(), flat.data_ptr<float>() + flat.numel()};
}

std::optional<amx::Epilogue> packed_activation(model::Activation activation) {
  switch (activation) {
    case model::Activation::gelu:
      return amx::Epilogue::gelu;
    case model::Activation::gelu_tanh:
      return amx::Epilogue::gelu_tanh;
    case model::Activation::relu:
      return amx::Epilogue::relu;
    case model::Activation::identity:
      return amx::Epilogue::none;
    default:
      return std::nullopt;
  }
}

PackedNorm pack(const Norm& norm, double eps) {
  return {values_of(norm.weight), values_of(norm.bias), eps};
}

#ifdef MUSTCITE_AMX

PackedLinear pack(std::span<const Linear* const> layers, float scale) {
  std::size_t rows = 0;
  for (const auto* layer : layers) rows += static_cast<std::size_t>(layer->weight.size(0));
  const auto width = static_cast<std::size_t>(layers.front()->weight.size(1));
  PackedLinear packed;
  packed.in = whole_blocks(width);
  packed.out = whole_blocks(rows);
  packed.bias.assign(packed.out, 0);
  std::vector<float> all(packed.out * packed.in, 0);
  std::size_t row = 0;
  for (const auto* layer : layers) {
    const auto height = static_cast<std::size_t>(layer->weight.size(0));
    const float factor = layer == layers.front() ? scale : 1;
    const auto weight = values_of(layer->weight);
    const auto bias = layer->bias.defined() ? values_of(layer->bias) : std::vector<float>(height, 0);
    for (std::size_t r = 0; r < height; ++r, ++row) {
      for (std::size_t c = 0; c < width; ++c) all[row * packed.in + c] = factor * weight[r * width + c];
      packed.bias[row] = factor * bias[r];
    }
  }
  packed.tiles.resize(packed.out * packed.in);
  amx::pack_weight(all.data(), packed.out, packed.in, 1, packed.tiles.data());
  return packed;
}

PackedLinear pack(const Linear& layer) {
  const Linear* const one[] = {&layer};
  return pack(one);
}

#endif

}  // namespace mustcite::neural
