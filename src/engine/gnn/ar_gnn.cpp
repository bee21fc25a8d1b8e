#include "engine/gnn/ar_gnn.hpp"

#include "core/base/error.hpp"
#include "engine/gnn/layers.hpp"

namespace mustcite::gnn {
namespace {

using Variant = ArGnnOptions::Variant;

/// What is left of the neighbourhood where the text starts as it is.
constexpr double kLittle = 0.1;

std::int64_t wide(std::size_t value) {
  return static_cast<std::int64_t>(value);
}

}  // namespace

ArGnnOptions ar_gnn_options(const baseline::Settings& settings) {
  ArGnnOptions options;
  const auto variant = settings.choice("variant", "gcn", {"gcn", "gat", "gae"});
  options.variant = variant == "gat" ? Variant::gat : variant == "gae" ? Variant::gae : Variant::gcn;
  options.hidden = settings.count("hidden", options.hidden, 1, 4096);
  options.size = settings.count("size", options.size, 0, 4096);
  options.heads = settings.count("heads", options.heads, 1, 64);
  options.skip = settings.flag("skip", options.skip);
  options.start = settings.choice("start", "random", {"random", "text"}) == "text"
                      ? ArGnnOptions::Start::text
                      : ArGnnOptions::Start::random;
  if (options.start == ArGnnOptions::Start::text && !options.skip)
    fail(ErrorCode::invalid_input, "reading a recipe of ar-gnn: start = \"text\" needs skip = true");
  options.fanout.about = settings.count("fanout_about", options.fanout.about, 0, 100000);
  options.fanout.citations = settings.count("fanout_citations", options.fanout.citations, 0, 100000);
  options.fanout.papers = settings.count("fanout_papers", options.fanout.papers, 0, 100000);
  options.keywords = settings.count("keywords", options.keywords, 0, 1000000);
  options.per_text = settings.count("keywords_per_text", options.per_text, 0, 1000);
  options.positives = settings.count("positives", options.positives, 1, 1000);
  options.negatives = settings.count("negatives", options.negatives, 0, 1000);
  options.hard = settings.count("hard", options.hard, 0, 1000);
  options.similarity = settings.number("similarity", options.similarity, 0, 1000);
  options.temperature = settings.number("temperature", options.temperature, 0, 10);
  options.reconstruction = settings.number("reconstruction", options.reconstruction, 0, 1000);
  if (options.variant == Variant::gat)
    options.hidden = (options.hidden + options.heads - 1) / options.heads * options.heads;
  return options;
}

ArGnnNetwork::ArGnnNetwork(const ArGnnOptions& options, std::size_t features, std::uint64_t seed)
    : options_(options) {
  if (options_.size == 0) options_.size = features;
  std::vector<neural::Parameter> parameters;
  const auto add = [&](const std::string& name, const at::Tensor& value) {
    parameters.push_back({name, value, {}, {}});
  };
  const std::int64_t hidden = wide(options.hidden);
  const std::int64_t size = wide(options_.size);
  add("papers.weight", glorot(wide(features), hidden, seed + 1));
  add("papers.bias", at::zeros({hidden}));
  add("kinds", glorot(wide(graph::kNodeKinds) - 1, hidden, seed + 2));
  const auto add_layer = [&](const std::string& name, std::int64_t out, std::uint64_t own) {
    if (options.variant == Variant::gat) {
      const std::int64_t heads = wide(options.heads);
      // The last layer averages its heads, the first joins them.
      const std::int64_t each = name == "second" ? out : out / heads;
      add(name + ".weight", glorot(hidden, heads * each, own));
      add(name + ".source", glorot(heads, each, own + 1));
      add(name + ".target", glorot(heads, each, own + 2));
    } else {
      add(name + ".weight", glorot(hidden, out, own));
    }
    add(name + ".bias", at::zeros({out}));
  };
  add_layer("first", hidden, seed + 10);
  add_layer("second", size, seed + 20);
  const bool text = options.start == ArGnnOptions::Start::text;
  if (text) {
    for (auto& parameter : parameters) {
      if (parameter.name == "second.weight") parameter.value *= kLittle;
    }
  }
  if (options.skip)
    add("skip.weight", text ? at::eye(wide(features), size) : glorot(wide(features), size, seed + 30));
  weights_ = TrainedWeights(std::move(parameters), {0.9, 0.999, 1e-8, 1e-4});
}

at::Tensor ArGnnNetwork::layer(const std::string& name, const SparsePtr& sparse, const Block& block,
                               const at::Tensor& x) const {
  if (options_.variant == Variant::gat) {
    const Attention attention{weights_[name + ".weight"], weights_[name + ".source"],
                              weights_[name + ".target"], weights_[name + ".bias"]};
    return gat(sparse, x, attention, name == "second" ? Heads::averaged : Heads::joined);
  }
  const auto degrees = at::tensor(block.degrees);
  const auto weights = gcn_weights(*sparse, degrees.narrow(0, 0, sparse->rows()),
                                   degrees.narrow(0, 0, sparse->column_count()));
  return gcn(sparse, weights, x, weights_[name + ".weight"], weights_[name + ".bias"]);
}

at::Tensor ArGnnNetwork::embed(const Block& block, const at::Tensor& documents,
                               const at::Tensor& newcomers) const {
  // Rows of papers in the features, newcomers behind them; other nodes by their kind, behind both.
  const auto papers = static_cast<std::uint32_t>(documents.size(0));
  std::vector<std::int64_t> rows;
  std::vector<std::int64_t> places(block.nodes.size());
  std::vector<std::size_t> others;
  for (std::size_t i = 0; i < block.nodes.size(); ++i) {
    if (block.nodes[i] < papers) {
      places[i] = wide(rows.size());
      rows.push_back(block.nodes[i]);
    } else if (block.nodes[i] != kNewcomer) {
      others.push_back(i);
    }
  }
  const std::int64_t known = wide(rows.size());
  for (std::uint32_t i = block.papers; i < block.seeds; ++i) places[i] = known + i - block.papers;
  const std::int64_t kinds = known + block.seeds - block.papers;
  for (const std::size_t i : others) places[i] = kinds + static_cast<std::int64_t>(block.kinds[i]) - 1;
  auto features = documents.index_select(0, at::tensor(rows, at::kLong));
  if (newcomers.defined() && newcomers.size(0) > 0) features = at::cat({features, newcomers});
  const auto start = features.matmul(weights_["papers.weight"]) + weights_["papers.bias"];
  const auto place = at::tensor(places, at::kLong);
  auto x = at::cat({start, weights_["kinds"]}).index_select(0, place);
  const bool attention = options_.variant == Variant::gat;
  x = layer("first", block.first, block, x);
  x = layer("second", block.second, block, attention ? at::elu(x) : at::relu(x));
  if (!options_.skip) return x;
  return x + features.index_select(0, place.narrow(0, 0, block.seeds)).matmul(weights_["skip.weight"]);
}

}  // namespace mustcite::gnn
