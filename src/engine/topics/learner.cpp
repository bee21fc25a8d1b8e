#include <ATen/Parallel.h>

#include <algorithm>
#include <map>

#include "core/base/error.hpp"
#include "core/base/log.hpp"
#include "core/base/threads.hpp"
#include "core/io/file.hpp"
#include "engine/baseline/batches.hpp"
#include "engine/topics/citations.hpp"
#include "engine/topics/ktr.hpp"
#include "engine/topics/reasoning.hpp"

namespace mustcite::topics {
namespace {

namespace fs = std::filesystem;
using baseline::Example;

constexpr double kClip = 1;

dense::TextParts text_of(const Example& example) {
  return {example.title, example.abstract, {}};
}

class Ktr final : public baseline::Learner {
 public:
  explicit Ktr(const baseline::Data& data)
      : data_(data),
        options_(read_options(data.recipe)),
        world_(*data.world.snapshot, options_, data.all.documents, report_),
        documents_(document_features(*data.features, data.all.documents)),
        network_(shape(), data.recipe.training.seed, topic_features()) {
    at::set_num_threads(static_cast<int>(data.world.threads > 0 ? data.world.threads : available_cores()));
    tell_report();
    neural::AdamWOptions adamw;
    adamw.weight_decay = options_.weight_decay;
    network_.parameters().learn(adamw);
    queries_ = query_features(data.train);
    hard_ = nearest_uncited();
  }

  std::vector<baseline::Stage> stages() const override { return {{"ktr", data_.recipe.training.epochs}}; }

  double epoch(std::size_t, std::size_t number, Progress& progress) override {
    const auto& training = data_.recipe.training;
    baseline::DrawOptions draw{training.batch, options_.positives, options_.hard,
                               options_.easy,  training.seed,      baseline::DrawOptions::Dates::equal};
    const auto plans = baseline::plan_epoch(data_.train, hard_, draw, number);
    const double all = static_cast<double>(plans.size() * std::max<std::size_t>(training.epochs, 1));
    double sum = 0;
    for (std::size_t i = 0; i < plans.size(); ++i) {
      stop_if_interrupted();
      const std::size_t at = number * plans.size() + i;
      sum += step(plans[i], baseline::rate_at(training.rate, (static_cast<double>(at) + 1) / all), at);
      progress.advance(plans[i].examples.size());
    }
    return plans.empty() ? 0 : sum / static_cast<double>(plans.size());
  }

  void score(std::size_t, std::span<const Example> queries, std::span<const DocId> documents,
             std::span<float> out) override {
    const at::NoGradGuard without_gradients;
    const auto z = network_.papers(rows_of(documents));
    std::map<std::uint32_t, std::vector<std::size_t>> by_date;
    for (std::size_t i = 0; i < queries.size(); ++i) by_date[queries[i].as_of.documents].push_back(i);
    for (const auto& [date, members] : by_date) {
      std::vector<Example> group;
      for (const std::size_t i : members) group.push_back(queries[i]);
      const auto scores = logits(group, documents, z).contiguous();
      for (std::size_t i = 0; i < members.size(); ++i) {
        std::copy_n(scores.data_ptr<float>() + i * documents.size(), documents.size(),
                    out.begin() + static_cast<std::ptrdiff_t>(members[i] * documents.size()));
      }
    }
  }

  std::uint64_t weights() const override { return network_.parameters().size(); }
  void save_state(const fs::path& file) const override { network_.parameters().save_state(file); }
  void load_state(const fs::path& file) override { network_.parameters().load_state(file); }

  void write(const fs::path& folder) const override {
    network_.parameters().save_weights(folder / baseline::kWeightsFile);
    world_.write(folder);
    if (report_.ledger.empty()) return;
    std::string lines = "line\treason\ttext\n";
    for (const auto& line : report_.ledger)
      lines += fmt::format("{}\t{}\t{}\n", line.line, line.reason, line.text);
    io::write_file_atomically(folder / "rejected.tsv", lines);
  }

 private:
  [[nodiscard]] Shape shape() const {
    Shape shape;
    shape.features = static_cast<std::int64_t>(data_.features->dimensions());
    shape.width = static_cast<std::int64_t>(options_.width);
    shape.topic_width = static_cast<std::int64_t>(options_.topic_width);
    shape.topics = world_.topics().size();
    shape.relations = world_.relations();
    return shape;
  }

  [[nodiscard]] at::Tensor topic_features() const {
    std::vector<dense::TextParts> names;
    for (const auto& phrase : world_.topics().phrases()) names.push_back({phrase, {}, {}});
    return text_features(*data_.features, names);
  }

  [[nodiscard]] at::Tensor query_features(std::span<const Example> examples) const {
    // A query that is a document has its vector already.
    std::vector<dense::TextParts> texts;
    std::vector<std::int64_t> places;
    auto features = at::zeros({static_cast<std::int64_t>(examples.size()), documents_.size(1)});
    for (std::size_t i = 0; i < examples.size(); ++i) {
      const DocId own = examples[i].paper;
      const auto row = static_cast<std::int64_t>(i);
      if (own != snapshot::kNoDoc && own.value < documents_.size(0)) {
        features[row].copy_(documents_[own.value]);
      } else {
        texts.push_back(text_of(examples[i]));
        places.push_back(row);
      }
    }
    if (!texts.empty()) {
      const auto encoded = text_features(*data_.features, texts);
      for (std::size_t i = 0; i < places.size(); ++i)
        features[places[i]].copy_(encoded[static_cast<std::int64_t>(i)]);
    }
    return features;
  }

  /// Of each training query the documents of the nearest texts that it does not cite.
  [[nodiscard]] std::vector<std::vector<DocId>> nearest_uncited() const {
    constexpr std::int64_t kPart = 128;
    std::vector<DocId> rows;
    for (std::uint32_t row = 0; row < documents_.size(0); ++row) rows.push_back(DocId{row});
    std::vector<std::vector<DocId>> result;
    if (options_.hard == 0) return result;
    for (std::int64_t begin = 0; begin < queries_.size(0); begin += kPart) {
      const std::int64_t count = std::min(kPart, queries_.size(0) - begin);
      const auto scores = at::matmul(queries_.narrow(0, begin, count), documents_.t()).contiguous();
      for (std::int64_t i = 0; i < count; ++i) {
        const float* row = scores.data_ptr<float>() + i * scores.size(1);
        result.push_back(baseline::best_uncited(
            {row, rows.size()}, rows, data_.train[static_cast<std::size_t>(begin + i)], options_.hard_ranks));
      }
    }
    return result;
  }

  [[nodiscard]] at::Tensor rows_of(std::span<const DocId> documents) const {
    auto rows = at::empty({static_cast<std::int64_t>(documents.size())}, at::kLong);
    std::transform(documents.begin(), documents.end(), rows.data_ptr<std::int64_t>(),
                   [](DocId doc) { return static_cast<std::int64_t>(doc.value); });
    return documents_.index_select(0, rows);
  }

  /// Queries of one date against documents with vectors z.
  [[nodiscard]] at::Tensor logits(std::span<const Example> queries, std::span<const DocId> documents,
                                  const at::Tensor& z) {
    const auto date = world_.as_of(queries.front().as_of.documents);
    PaperTopics asked;
    PaperTopics offered;
    for (const auto& query : queries) asked.push_back(world_.main_topics(*date, query.title, query.abstract));
    for (const DocId doc : documents) offered.push_back(world_.main_topics(*date, doc));
    const auto paths = reasoning(network_, *date, edges_.of(*date), asked, offered, options_.hops);
    return network_.logits(at::matmul(network_.papers(query_features(queries)), z.t()), paths);
  }

  double step(const baseline::BatchPlan& plan, double rate, std::size_t number) {
    const std::uint64_t seed = data_.recipe.training.seed * 1000003 + number;
    at::manual_seed(seed);
    std::vector<std::int64_t> rows(plan.examples.begin(), plan.examples.end());
    const auto query_x = queries_.index_select(0, at::tensor(rows, at::kLong));
    const auto document_x = rows_of(plan.documents);
    const auto date = world_.as_of(data_.train[plan.examples.front()].as_of.documents);
    PaperTopics asked;
    PaperTopics offered;
    for (const std::size_t i : plan.examples) {
      asked.push_back(world_.main_topics(*date, data_.train[i].title, data_.train[i].abstract));
    }
    for (const DocId doc : plan.documents) offered.push_back(world_.main_topics(*date, doc));
    const auto paths = reasoning(network_, *date, edges_.of(*date), asked, offered, options_.hops);
    const auto cosines = at::matmul(network_.papers(query_x, options_.dropout),
                                    network_.papers(document_x, options_.dropout).t());
    auto levels = at::empty({cosines.size(0), cosines.size(1)}, at::kLong);
    std::transform(plan.levels.begin(), plan.levels.end(), levels.data_ptr<std::int64_t>(),
                   [](baseline::Level level) { return static_cast<std::int64_t>(level); });
    const auto cited = levels.eq(static_cast<std::int64_t>(baseline::Level::positive));
    const auto counted = levels.ne(static_cast<std::int64_t>(baseline::Level::ignored));
    auto loss = cited_loss(network_.logits(cosines, paths), cited, counted);
    loss = loss + options_.alignment * alignment(plan, seed);
    loss.backward();
    network_.parameters().optimiser().clip(kClip);
    network_.parameters().optimiser().step(rate);
    return loss.item<double>();
  }

  /// The contrastive part over the documents that have neighbours in the citation network as of the batch's
  /// date.
  [[nodiscard]] at::Tensor alignment(const baseline::BatchPlan& plan, std::uint64_t seed) const {
    const auto& as_of = data_.train[plan.examples.front()].as_of;
    const auto sample =
        sample_neighbours(*data_.world.graph, plan.documents, as_of, options_.neighbours, seed);
    if (options_.alignment == 0 || sample.papers.size() < 2) return at::zeros({});
    const auto content = network_.content(rows_of(sample.members));
    const auto mean = mean_of(content, sample);
    return alignment_loss(network_.placed(rows_of(sample.papers)), network_.structure(mean),
                          options_.temperature);
  }

  void tell_report() const {
    if (options_.graph.empty()) return;
    log::info(
        "topic graph {}: {} triples = {} kept + {} with an unknown term + {} of other languages + {} about "
        "one topic + {} "
        "rejected; {} of {} terms are unknown",
        options_.graph, report_.read, report_.kept, report_.unknown, report_.of_other_languages, report_.self,
        report_.rejected, report_.unknown_terms, report_.terms);
  }

  const baseline::Data& data_;
  Options options_;
  terms::TripleReport report_;
  TopicWorld world_;
  at::Tensor documents_;  ///< text vectors of all documents
  Network network_;
  at::Tensor queries_;  ///< text vectors of the training queries
  std::vector<std::vector<DocId>> hard_;
  DatedEdges edges_;
};

}  // namespace

std::unique_ptr<baseline::Learner> make_learner(const baseline::Data& data) {
  return std::make_unique<Ktr>(data);
}

}  // namespace mustcite::topics
