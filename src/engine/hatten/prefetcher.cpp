#include "engine/hatten/prefetcher.hpp"

#include <ATen/Parallel.h>

#include <algorithm>

#include "core/base/error.hpp"
#include "core/base/threads.hpp"
#include "engine/baseline/model_card.hpp"
#include "engine/dense/half.hpp"
#include "engine/dense/vector_file.hpp"
#include "engine/hatten/losses.hpp"

namespace mustcite::hatten {
namespace {

namespace fs = std::filesystem;

/// Papers read and computed at once.
constexpr std::size_t kPart = 1024;
constexpr double kClip = 1;  ///< of the gradients' norm
constexpr std::uint32_t kRareWord = 3;

WordReader make_reader(const baseline::Data& data, const Options& options,
                       const std::optional<fs::path>& encoder) {
  if (encoder) return {model::Tokenizer::open(*encoder), options.words};
  return {
      baseline::Vocabulary::build(*data.world.snapshot, data.all.documents, options.vocabulary, kRareWord),
      options.words};
}

/// Where the encoder's vocabulary and weights lie.
std::optional<fs::path> transformer_of(const std::optional<fs::path>& encoder) {
  if (!encoder) return std::nullopt;
  return model::resolve_model(*encoder).transformer;
}

/// The encoder's vectors of words, of mean 0 and mean square 1: its own are so short that positions, which
/// are sines and cosines, would drown them.
at::Tensor table_of(const std::optional<fs::path>& encoder) {
  if (!encoder) return {};
  const auto words = neural::load_weights(model::resolve_model(*encoder)).words;
  const auto centred = words - words.mean(0, /*keepdim=*/true);
  return centred / centred.square().mean().sqrt().clamp_min(1e-12);
}

Network make_network(const baseline::Data& data, const Options& options, const WordReader& reader,
                     const std::optional<fs::path>& encoder) {
  const auto table = table_of(encoder);
  const std::int64_t words = table.defined() ? table.size(0) : reader.size();
  const auto shape = shape_of(options, words, table.defined() ? table.size(1) : 0);
  return {shape, data.recipe.training.seed, table};
}

}  // namespace

Shape shape_of(const Options& options, std::int64_t words, std::int64_t given) {
  Shape shape;
  shape.width = static_cast<std::int64_t>(options.width);
  shape.heads = static_cast<std::int64_t>(options.heads);
  shape.inner = static_cast<std::int64_t>(options.inner);
  shape.longest = static_cast<std::int64_t>(options.words);
  shape.words = words;
  shape.given = given;
  return shape;
}

at::Tensor unit_vectors(const Network& network, std::size_t papers,
                        const std::function<PaperWords(std::size_t)>& read) {
  const at::NoGradGuard without_gradients;
  std::vector<at::Tensor> parts;
  for (std::size_t begin = 0; begin < papers; begin += kPart) {
    std::vector<PaperWords> words;
    for (std::size_t i = begin; i < std::min(papers, begin + kPart); ++i) words.push_back(read(i));
    std::vector<const PaperWords*> pointers;
    for (const auto& one : words) pointers.push_back(&one);
    const auto vectors = network.vectors(pointers, 0);
    parts.push_back(vectors / vectors.norm(2, {1}, true).clamp_min(1e-12));
  }
  return parts.empty() ? at::zeros({0, network.shape().width}) : at::cat(parts);
}

Prefetcher::Prefetcher(const baseline::Data& data, const Options& options)
    : data_(data),
      options_(options),
      encoder_(transformer_of(encoder_folder(options, data.world.index_folder, data.features->name()))),
      reader_(make_reader(data, options, encoder_)),
      network_(make_network(data, options, reader_, encoder_)) {
  at::set_num_threads(static_cast<int>(data.world.threads > 0 ? data.world.threads : available_cores()));
  neural::AdamWOptions adamw;
  adamw.weight_decay = options.weight_decay;
  network_.parameters().learn(adamw);
}

at::Tensor Prefetcher::documents(std::span<const DocId> documents) const {
  return unit_vectors(network_, documents.size(), [&](std::size_t i) {
    const auto view = data_.world.snapshot->document(documents[i]);
    return reader_.read(view.title, view.abstract);
  });
}

at::Tensor Prefetcher::queries(std::span<const baseline::Example> examples) const {
  return unit_vectors(network_, examples.size(),
                      [&](std::size_t i) { return reader_.read(examples[i].title, examples[i].abstract); });
}

std::vector<std::vector<DocId>> Prefetcher::prefetch(std::span<const baseline::Example> examples,
                                                     std::span<const DocId> rows, std::size_t depth) const {
  const auto vectors = documents(rows).t();
  std::vector<std::vector<DocId>> result;
  for (std::size_t begin = 0; begin < examples.size(); begin += kPart) {
    const auto part = examples.subspan(begin, std::min(kPart, examples.size() - begin));
    const auto scores = at::matmul(queries(part), vectors).contiguous();
    for (std::size_t i = 0; i < part.size(); ++i) {
      result.push_back(baseline::best_uncited({scores.data_ptr<float>() + i * rows.size(), rows.size()}, rows,
                                              part[i], depth));
    }
  }
  return result;
}

double Prefetcher::step(const baseline::BatchPlan& plan, double rate, std::uint64_t seed) {
  at::manual_seed(seed);
  std::vector<PaperWords> words;
  for (const std::size_t i : plan.examples) {
    words.push_back(reader_.read(data_.train[i].title, data_.train[i].abstract));
  }
  for (const DocId doc : plan.documents) {
    const auto view = data_.world.snapshot->document(doc);
    words.push_back(reader_.read(view.title, view.abstract));
  }
  std::vector<const PaperWords*> pointers;
  for (const auto& one : words) pointers.push_back(&one);
  const auto vectors = network_.vectors(pointers, options_.dropout);
  const auto queries = static_cast<std::int64_t>(plan.examples.size());
  const auto documents = static_cast<std::int64_t>(plan.documents.size());
  auto levels = at::empty({queries, documents}, at::kLong);
  std::transform(plan.levels.begin(), plan.levels.end(), levels.data_ptr<std::int64_t>(),
                 [](baseline::Level level) { return static_cast<std::int64_t>(level); });
  const auto similarity = cosines(vectors.narrow(0, 0, queries), vectors.narrow(0, queries, documents));
  const auto loss = margin_loss(similarity, levels, options_.margin);
  loss.backward();
  network_.parameters().optimiser().clip(kClip);
  network_.parameters().optimiser().step(rate);
  return loss.item<double>();
}

double Prefetcher::epoch(std::size_t number, std::size_t epochs, Progress& progress) {
  const auto& training = data_.recipe.training;
  std::vector<std::vector<DocId>> prefetched;
  if (options_.hard > 0) {
    const auto rows = baseline::drawn_documents(data_.train, data_.all.documents, options_.refreshed,
                                                training.seed, number);
    prefetched = prefetch(data_.train, rows, options_.prefetched);
  }
  const baseline::DrawOptions draw{training.batch, options_.positives, options_.hard, options_.easy,
                                   training.seed};
  const auto plans = baseline::plan_epoch(data_.train, prefetched, draw, number);
  const double all = static_cast<double>(plans.size() * std::max<std::size_t>(epochs, 1));
  double sum = 0;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    stop_if_interrupted();
    const std::size_t at = number * plans.size() + i;
    const double rate = baseline::rate_at(training.rate, (static_cast<double>(at) + 1) / all);
    sum += step(plans[i], rate, training.seed * 1000003 + at);
    progress.advance(plans[i].examples.size());
  }
  return plans.empty() ? 0 : sum / static_cast<double>(plans.size());
}

void Prefetcher::write(const fs::path& folder) const {
  network_.parameters().save_weights(folder / baseline::kWeightsFile);
  reader_.write(folder, encoder_);
  dense::VectorInfo info;
  info.recipe.name = data_.recipe.name;
  info.recipe.model = data_.recipe.name;  // not one of the hub's: the network in this folder
  info.model_digest = data_.recipe.name;
  info.snapshot_digest = data_.world.snapshot->digest();
  info.dims = static_cast<std::uint32_t>(options_.width);
  dense::VectorWriter writer(folder, info);
  std::vector<std::uint16_t> half(options_.width);
  const std::uint32_t rows = data_.world.snapshot->size();
  for (std::uint32_t begin = 0; begin < rows; begin += kPart) {
    std::vector<DocId> part;
    for (std::uint32_t row = begin; row < std::min<std::uint32_t>(rows, begin + kPart); ++row)
      part.push_back(DocId{row});
    const auto vectors = documents(part).contiguous();
    const float* value = vectors.data_ptr<float>();
    for (std::size_t i = 0; i < part.size(); ++i) {
      for (auto& number : half) number = dense::to_half(*value++);
      writer.add(half, 0);
    }
  }
  writer.close();
}

}  // namespace mustcite::hatten
