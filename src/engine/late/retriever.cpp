#include "engine/late/retriever.hpp"

#include <mutex>

#include "core/base/error.hpp"
#include "engine/dense/remembered.hpp"

namespace mustcite::late {
namespace {

constexpr std::size_t kMostKept = 2000;

std::string rebuild(const IndexInfo& info) {
  return fmt::format("`mustcite index build --dense {}`", info.recipe.text.name);
}

model::LateModel model_of(const IndexInfo& info) {
  auto model = model::resolve_late_model(info.model_folder, late_options(info.recipe));
  if (model.digest != info.model_digest) {
    fail(ErrorCode::corrupt,
         "the token vectors of {} were made by another model than the one that is now in {}: their numbers "
         "do not "
         "compare; make them anew with {}",
         info.recipe.text.name, info.model_folder, rebuild(info));
  }
  return model;
}

}  // namespace

struct Retriever::Impl {
  Impl(const std::filesystem::path& folder, TokenEncoderFactory factory)
      : index(LateIndex::open(folder)), model(model_of(index.info())), make_encoder(std::move(factory)) {}

  /// Encodes the texts that are not known yet. The lock is held.
  void encode(const std::vector<std::string>& texts) {
    const auto missing = known.missing(texts);
    if (missing.empty()) return;
    if (!encoder) encoder = make_encoder(model);
    if (encoder->model_digest() != model.digest || encoder->dimensions() != index.info().dims)
      fail(ErrorCode::internal, "the encoder is of another model than the token vectors");
    const TokenVectors made = encoder->encode(missing, model::TextRole::query);
    dense::expect_numbers(made.values, model.folder.folder);
    for (std::size_t i = 0; i < missing.size(); ++i) known.keep(missing[i], made.of(i));
  }

  LateIndex index;
  model::LateModel model;
  TokenEncoderFactory make_encoder;
  std::mutex mutex;
  std::unique_ptr<TokenEncoder> encoder;
  dense::Remembered known{kMostKept};
};

Retriever::Retriever(const std::filesystem::path& folder, const std::string& snapshot_digest,
                     TokenEncoderFactory make_encoder)
    : impl_(std::make_unique<Impl>(folder, std::move(make_encoder))) {
  const IndexInfo& info = impl_->index.info();
  if (info.snapshot_digest != snapshot_digest) {
    fail(
        ErrorCode::corrupt,
        "the token vectors of {} are those of other documents than the index has now; make them anew with {}",
        info.recipe.text.name, rebuild(info));
  }
}

Retriever::~Retriever() = default;

const LateIndex& Retriever::index() const noexcept {
  return impl_->index;
}

std::vector<float> Retriever::encode(const dense::TextParts& query) const {
  const std::string text = dense::query_text(impl_->index.info().recipe.text, query);
  const std::lock_guard lock(impl_->mutex);
  impl_->encode({text});
  return impl_->known.at(text);
}

void Retriever::prepare(std::span<const dense::TextParts> queries) const {
  std::vector<std::string> texts;
  for (const dense::TextParts& query : queries)
    texts.push_back(dense::query_text(impl_->index.info().recipe.text, query));
  const std::lock_guard lock(impl_->mutex);
  impl_->encode(texts);
}

}  // namespace mustcite::late
