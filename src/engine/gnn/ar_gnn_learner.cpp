#include <ATen/Parallel.h>

#include <algorithm>
#include <unordered_map>

#include "core/base/threads.hpp"
#include "engine/gnn/ar_gnn.hpp"
#include "engine/gnn/epoch.hpp"
#include "engine/gnn/features.hpp"
#include "engine/gnn/layers.hpp"

namespace mustcite::gnn {
namespace {

namespace fs = std::filesystem;
using baseline::Example;

/// Documents whose vectors are made together when a training is measured.
constexpr std::size_t kPapersAtOnce = 16384;

class ArGnnLearner final : public baseline::Learner {
 public:
  explicit ArGnnLearner(const baseline::Data& data)
      : data_(data),
        options_(ar_gnn_options(data.recipe.model)),
        keywords_(graph::Keywords::mine(*data.world.snapshot, data.all.documents, keyword_options())),
        graph_(*data.world.snapshot, *data.world.graph, keywords_, data.world.threads),
        network_(options_, data.features->dimensions(), data.recipe.training.seed * 1000003),
        documents_(document_features(*data.features, data.all.documents)),
        train_features_(query_features(data, data.train)),
        held_out_features_(query_features(data, data.held_out)),
        examples_(options_.hard > 0 ? with_hard_negatives(data) : data.train) {
    at::set_num_threads(static_cast<int>(data.world.threads > 0 ? data.world.threads : available_cores()));
    for (const auto& example : examples_) train_newcomers_.push_back(newcomer(example));
    for (std::size_t i = 0; i < data.held_out.size(); ++i) held_out_places_[data.held_out[i].id] = i;
  }

  std::vector<baseline::Stage> stages() const override { return {{"train", data_.recipe.training.epochs}}; }

  double epoch(std::size_t, std::size_t number, Progress& progress) override {
    measured_ = {};
    return one_epoch(
        examples_, data_.recipe.training, number, network_.weights(),
        [&](const Batch& batch, std::uint64_t key) { return loss_of(batch, key); }, progress);
  }

  void score(std::size_t, std::span<const Example> queries, std::span<const DocId> documents,
             std::span<float> out) override {
    const at::NoGradGuard without_gradients;
    for (std::size_t begin = 0; begin < queries.size();) {
      std::size_t end = begin;
      while (end < queries.size() && queries[end].as_of == queries[begin].as_of) ++end;
      score_year(queries.subspan(begin, end - begin), documents,
                 out.subspan(begin * documents.size(), (end - begin) * documents.size()));
      begin = end;
    }
  }

  std::uint64_t weights() const override { return network_.weights().count(); }
  void save_state(const fs::path& file) const override { network_.weights().save_state(file); }
  void load_state(const fs::path& file) override {
    network_.weights().load_state(file);
    measured_ = {};
  }
  void write(const fs::path& folder) const override {
    network_.weights().write(folder / baseline::kWeightsFile);
    keywords_.write(folder / "keywords.tsv");
  }

 private:
  [[nodiscard]] graph::KeywordOptions keyword_options() const {
    graph::KeywordOptions options;
    options.most = options_.keywords;
    options.per_text = options_.per_text;
    options.threads = data_.world.threads;
    if (data_.all.documents < 1000) options.min_titles = 2;
    return options;
  }

  /// A citing paper as a new one: its venue and keywords, nothing else.
  [[nodiscard]] Newcomer newcomer(const Example& example) const {
    Newcomer about;
    if (const auto venue = graph_.venue_node(example.venue)) about.push_back(*venue);
    for (const std::uint32_t keyword : keywords_.of(example.title, example.abstract))
      about.push_back(graph_.keyword_node(keyword));
    return about;
  }

  [[nodiscard]] NeighbourSampler sampler(const baseline::AsOf& as_of, std::uint64_t seed) const {
    return {graph_, as_of, options_.fanout, seed};
  }

  at::Tensor loss_of(const Batch& batch, std::uint64_t key) const {
    const auto drawn =
        draw_documents(examples_, batch, {options_.positives, options_.negatives, options_.hard}, key);
    std::vector<DocId> papers = drawn.documents;
    const auto edges =
        options_.variant == ArGnnOptions::Variant::gae ? add_edges(batch, key, papers) : Pairs{};
    std::vector<Newcomer> newcomers;
    std::vector<std::int64_t> rows;
    for (const std::size_t i : batch) {
      newcomers.push_back(train_newcomers_[i]);
      rows.push_back(static_cast<std::int64_t>(i));
    }
    const auto block = sampler(examples_[batch.front()].as_of, key).block(papers, newcomers);
    const auto z =
        network_.embed(block, documents_, train_features_.index_select(0, at::tensor(rows, at::kLong)));
    const auto queries = unit_rows(z.narrow(0, block.papers, static_cast<std::int64_t>(batch.size())));
    const auto targets = unit_rows(z.narrow(0, 0, static_cast<std::int64_t>(drawn.documents.size())));
    auto loss = distance_and_similarity(queries, targets, matrix(drawn.related, batch.size()),
                                        matrix(drawn.unrelated, batch.size()), options_.similarity,
                                        options_.temperature);
    if (edges.edges.defined())
      loss = loss + options_.reconstruction * reconstruction_loss(z, edges.edges, edges.non_edges);
    return loss;
  }

  /// Pairs of places among the papers of a batch.
  struct Pairs {
    at::Tensor edges;
    at::Tensor non_edges;
  };

  /// As many citations among documents as of the batch's date as it has queries, and as many pairs without.
  Pairs add_edges(const Batch& batch, std::uint64_t key, std::vector<DocId>& papers) const {
    const auto& as_of = examples_[batch.front()].as_of;
    const auto& citations = *data_.world.graph;
    std::unordered_map<std::uint32_t, std::int64_t> places;
    for (const DocId paper : papers) places.emplace(paper.value, static_cast<std::int64_t>(places.size()));
    const auto place = [&](std::uint32_t paper) {
      const auto [at, is_new] = places.emplace(paper, static_cast<std::int64_t>(places.size()));
      if (is_new) papers.push_back(DocId{paper});
      return at->second;
    };
    std::vector<std::int64_t> edges;
    std::vector<std::int64_t> others;
    for (const std::uint32_t e : sample_places(as_of.edges, as_of.edges == 0 ? 0 : batch.size(), key)) {
      const auto& edge = citations.edge(e);
      const DocId citing = citations.document_of(edge.citing);
      if (citing.value >= as_of.documents || edge.cited.value >= as_of.documents || citing == edge.cited)
        continue;
      edges.insert(edges.end(), {place(citing.value), place(edge.cited.value)});
    }
    for (const auto& [a, b] :
         sample_non_edges(citations, as_of.documents, as_of.edges, edges.size() / 2, key + 1))
      others.insert(others.end(), {place(a), place(b)});
    return {at::tensor(edges, at::kLong).view({-1, 2}), at::tensor(others, at::kLong).view({-1, 2})};
  }

  /// Vectors of the documents as of a date, with the sampling that answers will have.
  [[nodiscard]] at::Tensor vectors_as_of(const baseline::AsOf& as_of, std::span<const DocId> documents) {
    if (measured_.as_of == as_of && measured_.vectors.defined()) return measured_.vectors;
    std::vector<at::Tensor> parts;
    for (std::size_t begin = 0; begin < documents.size(); begin += kPapersAtOnce) {
      const auto part = documents.subspan(begin, std::min(kPapersAtOnce, documents.size() - begin));
      const auto block = sampler(as_of, data_.recipe.training.seed).block(part, {});
      parts.push_back(unit_rows(network_.embed(block, documents_, {})));
    }
    measured_ = {as_of, at::cat(parts)};
    return measured_.vectors;
  }

  void score_year(std::span<const Example> queries, std::span<const DocId> documents, std::span<float> out) {
    const auto& as_of = queries.front().as_of;
    const auto older = std::lower_bound(documents.begin(), documents.end(), DocId{as_of.documents});
    const auto known = documents.first(static_cast<std::size_t>(older - documents.begin()));
    if (known.empty()) return;
    std::vector<Newcomer> newcomers;
    std::vector<std::int64_t> rows;
    for (const auto& query : queries) {
      newcomers.push_back(newcomer(query));
      rows.push_back(static_cast<std::int64_t>(held_out_places_.at(query.id)));
    }
    const auto block = sampler(as_of, data_.recipe.training.seed).block({}, newcomers);
    const auto vectors = unit_rows(
        network_.embed(block, documents_, held_out_features_.index_select(0, at::tensor(rows, at::kLong))));
    const auto scores = vectors.matmul(vectors_as_of(as_of, known).t()).contiguous();
    const float* from = scores.data_ptr<float>();
    for (std::size_t q = 0; q < queries.size(); ++q)
      std::copy_n(from + q * known.size(), known.size(),
                  out.begin() + static_cast<std::ptrdiff_t>(q * documents.size()));
  }

  struct Measured {
    baseline::AsOf as_of;
    at::Tensor vectors;
  };

  const baseline::Data& data_;
  ArGnnOptions options_;
  graph::Keywords keywords_;
  graph::BibliographicGraph graph_;
  ArGnnNetwork network_;
  at::Tensor documents_;
  at::Tensor train_features_;
  at::Tensor held_out_features_;
  std::vector<Example> examples_;  ///< with hard negatives
  std::vector<Newcomer> train_newcomers_;
  std::unordered_map<std::string, std::size_t> held_out_places_;
  Measured measured_;  ///< of the weights as they are now
};

}  // namespace

std::unique_ptr<baseline::Learner> make_ar_gnn_learner(const baseline::Data& data) {
  return std::make_unique<ArGnnLearner>(data);
}

}  // namespace mustcite::gnn
