#include "engine/gnn/layers.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "engine/model/tensor_file.hpp"

// What PyTorch Geometric computes: scripts/gnn-golden.py.
namespace mustcite::gnn {
namespace {

constexpr double kTolerance = 1e-5;

class Golden {
 public:
  at::Tensor operator[](const std::string& name) const {
    const auto* tensor = file_.find(name);
    if (tensor == nullptr) throw std::runtime_error("no golden tensor " + name);
    auto result = at::empty(tensor->shape, tensor->dtype == model::DType::i64 ? at::kLong : at::kFloat);
    std::memcpy(result.data_ptr(), tensor->bytes.data(), tensor->bytes.size());
    return result;
  }

 private:
  model::TensorFile file_ =
      model::TensorFile::open(MUSTCITE_SOURCE_DIR "/tests/unit/gnn/fixtures/golden.safetensors");
};

/// The golden graph with an edge of each node to itself; messages go from the first of a pair to the second.
SparsePtr golden_graph(const Golden& golden) {
  const auto edges = golden["edges"];
  const auto nodes = static_cast<std::uint32_t>(golden["x"].size(0));
  std::vector<std::vector<std::uint32_t>> sources(nodes);
  for (std::uint32_t node = 0; node < nodes; ++node) sources[node].push_back(node);
  for (std::int64_t e = 0; e < edges.size(0); ++e)
    sources[static_cast<std::size_t>(edges[e][1].item<std::int64_t>())].push_back(
        static_cast<std::uint32_t>(edges[e][0].item<std::int64_t>()));
  std::vector<std::uint32_t> begin{0};
  std::vector<std::uint32_t> columns;
  for (const auto& row : sources) {
    columns.insert(columns.end(), row.begin(), row.end());
    begin.push_back(static_cast<std::uint32_t>(columns.size()));
  }
  return std::make_shared<Sparse>(std::move(begin), std::move(columns), nodes);
}

at::Tensor degrees_of(const Sparse& sparse) {
  std::vector<float> degrees;
  for (std::uint32_t row = 0; row < sparse.rows(); ++row)
    degrees.push_back(static_cast<float>(sparse.begin()[row + 1] - sparse.begin()[row]));
  return at::tensor(degrees);
}

double difference(const at::Tensor& a, const at::Tensor& b) {
  return (a.reshape({-1}) - b.reshape({-1})).abs().max().item<double>();
}

at::Tensor learnt(const at::Tensor& value) {
  return value.detach().clone().requires_grad_(true);
}

TEST(GraphLayers, ConvolutionAndItsGradientsEqualPyTorchGeometric) {
  const Golden golden;
  const auto graph = golden_graph(golden);
  const auto x = learnt(golden["x"]);
  const auto w = learnt(golden["gcn.weight"].t());
  const auto b = learnt(golden["gcn.bias"]);
  const auto weights = gcn_weights(*graph, degrees_of(*graph), degrees_of(*graph));
  const auto out = gcn(graph, weights, x, w, b);
  EXPECT_LT(difference(out, golden["gcn.out"]), kTolerance);
  (out * golden["gcn.factor"]).sum().backward();
  EXPECT_LT(difference(x.grad(), golden["gcn.grad.x"]), kTolerance);
  EXPECT_LT(difference(w.grad().t(), golden["gcn.grad.weight"]), kTolerance);
  EXPECT_LT(difference(b.grad(), golden["gcn.grad.bias"]), kTolerance);
}

TEST(GraphLayers, AttentionAndItsGradientsEqualPyTorchGeometric) {
  const Golden golden;
  const auto graph = golden_graph(golden);
  for (const std::string name : {"gat_joined", "gat_averaged"}) {
    const auto x = learnt(golden["x"]);
    const Attention attention{learnt(golden[name + ".weight"].t()),
                              learnt(golden[name + ".source"].squeeze(0)),
                              learnt(golden[name + ".target"].squeeze(0)), learnt(golden[name + ".bias"])};
    const auto out = gat(graph, x, attention, name == "gat_joined" ? Heads::joined : Heads::averaged);
    EXPECT_LT(difference(out, golden[name + ".out"]), kTolerance) << name;
    (out * golden[name + ".factor"]).sum().backward();
    EXPECT_LT(difference(x.grad(), golden[name + ".grad.x"]), kTolerance) << name;
    EXPECT_LT(difference(attention.w.grad().t(), golden[name + ".grad.weight"]), kTolerance) << name;
    EXPECT_LT(difference(attention.source.grad(), golden[name + ".grad.source"]), kTolerance) << name;
    EXPECT_LT(difference(attention.target.grad(), golden[name + ".grad.target"]), kTolerance) << name;
    EXPECT_LT(difference(attention.bias.grad(), golden[name + ".grad.bias"]), kTolerance) << name;
  }
}

TEST(GraphLayers, AutoencoderAndItsLossEqualPyTorchGeometric) {
  const Golden golden;
  const auto graph = golden_graph(golden);
  const auto x = learnt(golden["x"]);
  const auto weights = gcn_weights(*graph, degrees_of(*graph), degrees_of(*graph));
  const auto z = gcn(graph, weights, x, golden["gae.weight"].t(), golden["gae.bias"]);
  EXPECT_LT(difference(z, golden["gae.z"]), kTolerance);
  const auto loss = reconstruction_loss(z, golden["edges"], golden["gae.negative"]);
  EXPECT_NEAR(loss.item<double>(), golden["gae.loss"].item<double>(), kTolerance);
  loss.backward();
  EXPECT_LT(difference(x.grad(), golden["gae.grad.x"]), kTolerance);
}

TEST(GraphLayers, ReconstructionWithoutPairsIsZero) {
  const auto none = at::empty({0, 2}, at::kLong);
  EXPECT_EQ(reconstruction_loss(at::ones({3, 2}), none, none).item<double>(), 0.0);
}

TEST(DistanceAndSimilarity, ByHand) {
  // q = (1, 0); documents (0, 1): distance sqrt 2, cosine 0; (-1, 0): distance 2, cosine -1; (0.6, 0.8).
  const auto query = at::tensor({1.0F, 0.0F}).view({1, 2});
  const auto documents = at::tensor({0.0F, 1.0F, -1.0F, 0.0F, 0.6F, 0.8F}).view({3, 2});
  const auto related = at::tensor({2.0F, 1.0F, 0.0F}).view({1, 3});  // grades weigh
  const auto unrelated = at::tensor({0.0F, 0.0F, 1.0F}).view({1, 3});
  // Distances (2 sqrt 2 + 2) / 3 = 1.609476; similarity 0.6 - (0 * 2 - 1) / 3 = 0.933333.
  EXPECT_NEAR(distance_and_similarity(query, documents, related, unrelated, 0.5).item<double>(),
              1.609476 + 0.5 * 0.933333, 1e-5);
}

TEST(DistanceAndSimilarity, WithATemperatureTheMeanIsExponentialByHand) {
  // As above; with t = 0.5 the means over the pair and the third document (0.6) are
  // 0.5 (ln(1 + e^1.2) - ln 2) = 0.385068 and 0.5 (ln(e^-2 + e^1.2) - ln 2) = 0.273406, their cosines 0 and
  // -1.
  const auto query = at::tensor({1.0F, 0.0F}).view({1, 2});
  const auto documents = at::tensor({0.0F, 1.0F, -1.0F, 0.0F, 0.6F, 0.8F}).view({3, 2});
  const auto related = at::tensor({2.0F, 1.0F, 0.0F}).view({1, 3});
  const auto unrelated = at::tensor({0.0F, 0.0F, 1.0F}).view({1, 3});
  EXPECT_NEAR(distance_and_similarity(query, documents, related, unrelated, 0.5, 0.5).item<double>(),
              1.609476 + 0.5 * (2 * 0.385068 + 1.273406) / 3, 1e-5);
}

TEST(DistanceAndSimilarity, WithoutUnrelatedPairsAPairIsItsOwnMean) {
  const auto query = at::tensor({1.0F, 0.0F}).view({1, 2});
  const auto document = at::tensor({0.6F, 0.8F}).view({1, 2});
  const auto one = at::ones({1, 1});
  EXPECT_NEAR(distance_and_similarity(query, document, one, at::zeros({1, 1}), 3, 0.05).item<double>(),
              0.894427, 1e-5);
}

TEST(DistanceAndSimilarity, EqualVectorsHaveFiniteGradients) {
  const auto vectors = at::tensor({1.0F, 0.0F}).view({1, 2}).requires_grad_(true);
  const auto one = at::ones({1, 1});
  distance_and_similarity(vectors, vectors, one, at::zeros({1, 1}), 1).backward();
  EXPECT_TRUE(vectors.grad().isfinite().all().item<bool>());
}

TEST(UnitRows, RowsOfZerosStay) {
  const auto rows = unit_rows(at::tensor({3.0F, 4.0F, 0.0F, 0.0F}).view({2, 2}));
  EXPECT_LT(difference(rows, at::tensor({0.6F, 0.8F, 0.0F, 0.0F})), 1e-6);
}

}  // namespace
}  // namespace mustcite::gnn
