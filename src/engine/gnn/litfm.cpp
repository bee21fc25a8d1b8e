#include "engine/gnn/litfm.hpp"

#include <algorithm>

#include "engine/gnn/layers.hpp"
#include "engine/gnn/sampling.hpp"

namespace mustcite::gnn {
namespace {

/// Papers that cite the document or that it cites, ascending, different ones.
std::vector<std::uint32_t> cited_or_citing(const graph::CitationGraph& citations, const baseline::AsOf& as_of,
                                           DocId doc) {
  std::vector<std::uint32_t> found;
  for (const std::uint32_t e : citations.cited_by(doc, as_of.edges)) {
    const DocId citing = citations.document_of(citations.edge(e).citing);
    if (citing.value < as_of.documents) found.push_back(citing.value);
  }
  if (const auto citing = citations.citing_of(doc)) {
    const auto range = citations.references(*citing, as_of.edges);
    for (std::uint32_t e = range.first; e < range.last; ++e) {
      const DocId cited = citations.edge(e).cited;
      if (cited != doc && cited.value < as_of.documents) found.push_back(cited.value);
    }
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace

LitFmOptions litfm_options(const baseline::Settings& settings) {
  LitFmOptions options;
  options.hidden = settings.count("hidden", options.hidden, 1, 16384);
  options.neighbours = settings.count("neighbours", options.neighbours, 0, 100000);
  options.positives = settings.count("positives", options.positives, 1, 1000);
  options.negatives = settings.count("negatives", options.negatives, 0, 1000);
  options.hard = settings.count("hard", options.hard, 0, 1000);
  options.temperature = settings.number("temperature", options.temperature, 0.001, 10);
  options.pseudo = settings.number("pseudo", options.pseudo, 0, 1000);
  options.sparsity = settings.number("sparsity", options.sparsity, 0, 1);
  return options;
}

LitFmNetwork::LitFmNetwork(const LitFmOptions& options, std::size_t features, std::uint64_t seed) {
  const auto size = static_cast<std::int64_t>(features);
  const auto hidden = static_cast<std::int64_t>(options.hidden);
  // The text starts as it is and the neighbourhood with little weight: the encoder below is trained already.
  weights_ =
      TrainedWeights({{"text.weight", at::eye(size), {}, {}},
                      {"neighbours.weight", at::eye(size) * 0.1 + glorot(size, size, seed + 1) * 0.1, {}, {}},
                      {"bias", at::zeros({size}), {}, {}},
                      {"pseudo.first.weight", glorot(size, hidden, seed + 2), {}, {}},
                      {"pseudo.first.bias", at::zeros({hidden}), {}, {}},
                      {"pseudo.second.weight", glorot(hidden, size, seed + 3), {}, {}},
                      {"pseudo.second.bias", at::zeros({size}), {}, {}}},
                     {0.9, 0.999, 1e-8, 0});
}

at::Tensor LitFmNetwork::documents(const at::Tensor& texts, const at::Tensor& neighbourhoods) const {
  return unit_rows(texts.matmul(weights_["text.weight"]) +
                   neighbourhoods.matmul(weights_["neighbours.weight"]) + weights_["bias"]);
}

at::Tensor LitFmNetwork::pseudo_neighbourhoods(const at::Tensor& texts) const {
  const auto hidden = at::relu(texts.matmul(weights_["pseudo.first.weight"]) + weights_["pseudo.first.bias"]);
  return hidden.matmul(weights_["pseudo.second.weight"]) + weights_["pseudo.second.bias"];
}

at::Tensor LitFmNetwork::absolute_weights() const {
  return weights_["text.weight"].abs().sum() + weights_["neighbours.weight"].abs().sum() +
         weights_["pseudo.first.weight"].abs().sum() + weights_["pseudo.second.weight"].abs().sum();
}

at::Tensor neighbourhoods(const graph::CitationGraph& citations, const baseline::AsOf& as_of,
                          std::span<const DocId> documents, const at::Tensor& features, std::size_t most,
                          std::uint64_t seed) {
  std::vector<std::uint32_t> begin{0};
  std::vector<std::uint32_t> columns;
  std::vector<float> shares;
  for (const DocId doc : documents) {
    const auto all = cited_or_citing(citations, as_of, doc);
    const auto places =
        sample_places(static_cast<std::uint32_t>(all.size()), most, seed ^ (std::uint64_t{doc.value} << 20));
    for (const auto place : places) columns.push_back(all[place]);
    shares.insert(shares.end(), places.size(),
                  1.0F / static_cast<float>(std::max<std::size_t>(places.size(), 1)));
    begin.push_back(static_cast<std::uint32_t>(columns.size()));
  }
  const auto sparse = std::make_shared<Sparse>(std::move(begin), std::move(columns),
                                               static_cast<std::uint32_t>(features.size(0)));
  return spmm(sparse, at::tensor(shares, at::kFloat).unsqueeze(1), features.unsqueeze(1)).squeeze(1);
}

}  // namespace mustcite::gnn
