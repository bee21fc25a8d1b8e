#include "engine/dense/retriever.hpp"

#include <mutex>
#include <optional>

#include "core/base/error.hpp"
#include "engine/dense/approximate.hpp"
#include "engine/dense/remembered.hpp"
#include "engine/dense/topic_query.hpp"

namespace mustcite::dense {
namespace {

constexpr std::size_t kMostKept = 20000;

std::string rebuild(const VectorInfo& info) {
  return fmt::format("`mustcite index build --dense {}`", info.recipe.name);
}

model::ModelFolder model_of(const VectorInfo& info) {
  std::optional<std::filesystem::path> adapter;
  if (!info.adapter_folder.empty()) adapter = info.adapter_folder;
  auto model = model::resolve_model(info.model_folder, folder_options(info.recipe, adapter));
  if (model.digest != info.model_digest) {
    fail(ErrorCode::corrupt,
         "the vectors of {} were made by another model than the one that is now in {}: their numbers do not "
         "compare; make them "
         "anew with {}",
         info.recipe.name, info.model_folder, rebuild(info));
  }
  return model;
}

}  // namespace

struct Retriever::Impl {
  Impl(const std::filesystem::path& folder, EncoderFactory factory)
      : vectors(VectorFile::open(folder)),
        approximate(open_approximate(folder, vectors)),
        model(model_of(vectors.info())),
        make_encoder(std::move(factory)) {}

  /// Encodes the texts that are not known yet. The lock is held.
  void encode(const std::vector<std::string>& texts) {
    const auto missing = known.missing(texts);
    if (missing.empty()) return;
    if (!encoder) encoder = make_encoder(model);
    const std::size_t dims = vectors.info().dims;
    if (encoder->model_digest() != model.digest || encoder->dimensions() != dims)
      fail(ErrorCode::internal, "the encoder is of another model than the vectors");
    std::vector<float> made(missing.size() * dims);
    encoder->encode(missing, made);
    expect_numbers(made, model.folder);
    for (std::size_t i = 0; i < missing.size(); ++i)
      known.keep(missing[i], std::span<const float>(made).subspan(i * dims, dims));
  }

  VectorFile vectors;
  std::unique_ptr<ApproximateIndex> approximate;  ///< none: search is exact
  model::ModelFolder model;
  EncoderFactory make_encoder;
  /// What the model reads for a query. The lock is held.
  std::string text_of(const TextParts& query) {
    if (query.topic.empty()) return query_text(vectors.info().recipe, query);
    if (!tokenizer) tokenizer.emplace(model::Tokenizer::open(model.transformer));
    return fitted_query_text(vectors.info().recipe, query, *tokenizer, model.max_length);
  }

  std::optional<model::Tokenizer> tokenizer;  ///< once a query with a topic sentence came
  std::mutex mutex;
  std::unique_ptr<Encoder> encoder;
  Remembered known{kMostKept};
};

Retriever::Retriever(const std::filesystem::path& folder, const std::string& snapshot_digest,
                     EncoderFactory make_encoder)
    : impl_(std::make_unique<Impl>(folder, std::move(make_encoder))) {
  const VectorInfo& info = impl_->vectors.info();
  if (info.snapshot_digest != snapshot_digest) {
    fail(
        ErrorCode::corrupt,
        "the vectors of {} are those of other documents than the index has now; make them anew with {}: only "
        "what is new is encoded",
        info.recipe.name, rebuild(info));
  }
}

Retriever::~Retriever() = default;

const VectorFile& Retriever::vectors() const noexcept {
  return impl_->vectors;
}

std::vector<Scored> Retriever::search(std::span<const float> query, const DenseSearch& search) const {
  if (impl_->approximate) return search_approximately(impl_->vectors, *impl_->approximate, query, search);
  return impl_->vectors.search(query, search);
}

std::vector<float> Retriever::encode(const TextParts& query) const {
  const std::lock_guard lock(impl_->mutex);
  const std::string text = impl_->text_of(query);
  impl_->encode({text});
  return impl_->known.at(text);
}

void Retriever::prepare(std::span<const TextParts> queries) const {
  const std::lock_guard lock(impl_->mutex);
  std::vector<std::string> texts;
  for (const TextParts& query : queries) texts.push_back(impl_->text_of(query));
  impl_->encode(texts);
}

}  // namespace mustcite::dense
