#include "engine/baseline/text_vectors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/base/error.hpp"
#include "core/base/hash.hpp"
#include "core/base/threads.hpp"
#include "engine/dense/retriever.hpp"

namespace mustcite::baseline {
namespace {

namespace fs = std::filesystem;

void make_unit(std::span<float> vector) {
  double sum = 0;
  for (const float value : vector) sum += double{value} * value;
  if (sum == 0) return;
  const auto scale = static_cast<float>(1 / std::sqrt(sum));
  for (float& value : vector) value *= scale;
}

class HashedVectors final : public TextVectors {
 public:
  HashedVectors(const snapshot::Snapshot& snapshot, std::size_t dimensions)
      : snapshot_(snapshot), dimensions_(dimensions), analyzer_(text::make_analyzer("english")) {}

  std::string name() const override { return fmt::format("hashed-{}", dimensions_); }
  std::string digest() const override { return sha256_hex(fmt::format("{} {}", name(), analyzer_->name())); }
  std::size_t dimensions() const override { return dimensions_; }

  void read(std::uint32_t first, std::span<float> out) const override {
    parallel_for(out.size() / dimensions_, 0, [&](std::size_t i, std::size_t) {
      const auto view = snapshot_.document(DocId{first + static_cast<std::uint32_t>(i)});
      hash({view.title, view.abstract, {}}, out.subspan(i * dimensions_, dimensions_));
    });
  }
  void encode(std::span<const dense::TextParts> texts, std::span<float> out) const override {
    for (std::size_t i = 0; i < texts.size(); ++i) hash(texts[i], out.subspan(i * dimensions_, dimensions_));
  }

 private:
  void hash(const dense::TextParts& text, std::span<float> out) const {
    std::fill(out.begin(), out.end(), 0.0F);
    std::vector<std::string> terms = analyzer_->terms(text.title);
    analyzer_->analyze(text.abstract, terms);
    analyzer_->analyze(text.topic, terms);
    std::map<std::string, int> counts;
    for (auto& term : terms) ++counts[std::move(term)];
    for (const auto& [term, count] : counts) {
      const std::uint64_t code = checksum64(std::as_bytes(std::span(term)));
      const auto weight = static_cast<float>(1 + std::log(count));
      out[code % dimensions_] += (code >> 63) != 0 ? weight : -weight;
    }
    make_unit(out);
  }

  const snapshot::Snapshot& snapshot_;
  std::size_t dimensions_;
  std::unique_ptr<text::Analyzer> analyzer_;
};

class DenseVectors final : public TextVectors {
 public:
  DenseVectors(const fs::path& folder, const std::string& snapshot_digest,
               const dense::EncoderFactory& make_encoder)
      : retriever_(folder, snapshot_digest, make_encoder) {}

  std::string name() const override { return retriever_.vectors().info().recipe.name; }
  std::string digest() const override { return retriever_.vectors().info().model_digest; }
  std::size_t dimensions() const override { return retriever_.vectors().info().dims; }
  bool symmetric() const override {
    const auto& recipe = retriever_.vectors().info().recipe;
    return recipe.document == recipe.query;
  }

  void read(std::uint32_t first, std::span<float> out) const override {
    const std::size_t dims = dimensions();
    for (std::size_t i = 0; i < out.size() / dims; ++i) {
      const auto row = out.subspan(i * dims, dims);
      retriever_.vectors().read(first + static_cast<std::uint32_t>(i), row);
      make_unit(row);
    }
  }
  void encode(std::span<const dense::TextParts> texts, std::span<float> out) const override {
    retriever_.prepare(texts);
    const std::size_t dims = dimensions();
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const auto vector = retriever_.encode(texts[i]);
      const auto row = out.subspan(i * dims, dims);
      std::copy(vector.begin(), vector.end(), row.begin());
      make_unit(row);
    }
  }

 private:
  dense::Retriever retriever_;
};

std::string first_recipe(const fs::path& index_folder) {
  std::set<std::string> found;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(index_folder / "dense", none)) {
    if (fs::exists(entry.path() / "vectors.bin")) found.insert(entry.path().filename().string());
  }
  return found.empty() ? "hashed" : *found.begin();
}

}  // namespace

std::unique_ptr<TextVectors> make_hashed_vectors(const snapshot::Snapshot& snapshot, std::size_t dimensions) {
  return std::make_unique<HashedVectors>(snapshot, dimensions);
}

std::unique_ptr<TextVectors> open_text_vectors(const std::string& name, const snapshot::Snapshot& snapshot,
                                               const fs::path& index_folder,
                                               const dense::EncoderFactory& make_encoder) {
  const std::string chosen = name == "auto" ? first_recipe(index_folder) : name;
  if (chosen.starts_with("hashed")) return make_hashed_vectors(snapshot);
  const fs::path folder = index_folder / "dense" / chosen;
  if (!fs::exists(folder)) {
    fail(ErrorCode::not_found,
         "the index {} has no vectors of {}: make them with `mustcite index build --dense {}`, or take "
         "features = \"hashed\"",
         index_folder.string(), chosen, chosen);
  }
  return std::make_unique<DenseVectors>(folder, snapshot.digest(), make_encoder);
}

}  // namespace mustcite::baseline
