#include "engine/dense/build.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>

#include "core/base/error.hpp"
#include "core/base/hash.hpp"
#include "core/base/threads.hpp"
#include "core/io/file.hpp"
#include "engine/dense/half.hpp"
#include "engine/dense/partial_file.hpp"

namespace mustcite::dense {
namespace {

namespace fs = std::filesystem;

class Builder {
 public:
  Builder(const snapshot::Snapshot& snapshot, const Recipe& recipe, const model::ModelFolder& model,
          const fs::path& folder)
      : snapshot_(snapshot),
        recipe_(recipe),
        model_(model),
        folder_(folder),
        dims_(static_cast<std::uint32_t>(model.dimensions())),
        partial_(folder.parent_path() / fmt::format(".{}.partial", folder.filename().string()), model.digest,
                 dims_) {
    open_old();
  }

  BuildReport build(const EncoderFactory& make_encoder, const BuildOptions& options, Progress& progress) {
    collect();
    encode(make_encoder, options, progress);
    publish(options.storage);
    return report_;
  }

 private:
  [[nodiscard]] std::string text_of(std::uint32_t row) const {
    const auto document = snapshot_.document(DocId{row});
    return document_text(recipe_, {document.title, document.abstract, {}});
  }

  /// Vectors of an earlier build that the same model made, whatever the documents were then.
  void open_old() {
    if (!fs::exists(folder_)) return;
    try {
      auto file = VectorFile::open(folder_);
      // Those in eight bits have lost what vectors in half precision would keep.
      if (file.info().model_digest != model_.digest || file.info().dims != dims_ ||
          file.info().storage != Storage::float16)
        return;
      old_.emplace(std::move(file));
    } catch (const Error&) {  // damaged or of another version: every text is encoded anew
      return;
    }
    for (std::uint32_t row = 0; row < old_->info().rows; ++row)
      old_rows_.emplace(old_->text_digest(row), row);
  }

  struct Pending {
    std::uint32_t row = 0;
    std::size_t bytes = 0;
  };

  /// Sorts every document into what is there and what is to be encoded.
  void collect() {
    report_.documents = snapshot_.size();
    std::unordered_map<std::uint64_t, bool> seen;
    for (std::uint32_t row = 0; row < snapshot_.size(); ++row) {
      const std::string text = text_of(row);
      const std::uint64_t digest = checksum64(std::as_bytes(std::span(text)));
      digests_.push_back(digest);
      if (!seen.emplace(digest, true).second) {
        ++report_.repeated;
      } else if (old_rows_.contains(digest)) {
        ++report_.reused;
      } else if (partial_.has(digest)) {
        ++report_.resumed;
      } else {
        pending_.push_back({row, text.size()});
      }
    }
    // Texts of like length together, so that batches have no padding; the longest first, so that memory and
    // the time left are known at the start.
    std::stable_sort(pending_.begin(), pending_.end(),
                     [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
  }

  void encode(const EncoderFactory& make_encoder, const BuildOptions& options, Progress& progress) {
    if (pending_.empty()) return;
    const auto encoder = make_encoder(model_);
    if (encoder->dimensions() != dims_ || encoder->model_digest() != model_.digest)
      fail(ErrorCode::internal, "the encoder is of another model than the one asked for");
    progress.begin("encoding", report_.documents);
    progress.advance(report_.documents - pending_.size());
    for (std::size_t begin = 0; begin < pending_.size(); begin += options.part) {
      stop_if_interrupted();
      const std::size_t count = std::min(options.part, pending_.size() - begin);
      encode_part(*encoder, std::span(pending_).subspan(begin, count));
      progress.advance(count);
    }
    progress.finish();
  }

  void encode_part(Encoder& encoder, std::span<const Pending> part) {
    std::vector<std::string> texts;
    for (const Pending& item : part) texts.push_back(text_of(item.row));
    const std::vector<std::string_view> views(texts.begin(), texts.end());
    std::vector<float> vectors(part.size() * dims_);
    encoder.encode(views, vectors);
    std::vector<std::uint16_t> halves(dims_);
    for (std::size_t i = 0; i < part.size(); ++i) {
      for (std::size_t k = 0; k < dims_; ++k) {
        const float value = vectors[i * dims_ + k];
        halves[k] = to_half(value);
        if (!std::isfinite(from_half(halves[k]))) {
          fail(ErrorCode::invalid_input,
               "the model in {} gives numbers that are none, or beyond half precision, for document {}: "
               "its weights are damaged, or computed too coarsely (--set encode.precision=float32)",
               model_.folder.string(), snapshot_.document(DocId{part[i].row}).id);
        }
      }
      partial_.add(digests_[part[i].row], halves);
      ++report_.encoded;
    }
    partial_.sync();
  }

  void publish(Storage storage) {
    io::StagedDirectory staged(folder_);
    VectorInfo info;
    info.recipe = recipe_;
    info.model_folder = fs::absolute(model_.folder).string();
    if (model_.adapter) info.adapter_folder = fs::absolute(model_.adapter->folder).string();
    info.model_digest = model_.digest;
    info.snapshot_digest = snapshot_.digest();
    info.dims = dims_;
    info.storage = storage;
    VectorWriter writer(staged.path(), info);
    std::vector<std::uint16_t> halves(dims_);
    std::vector<float> wide(dims_);
    for (const std::uint64_t digest : digests_) {
      if (const auto old = old_rows_.find(digest); old != old_rows_.end()) {
        old_->read(old->second, wide);
        for (std::size_t k = 0; k < dims_; ++k) halves[k] = to_half(wide[k]);
      } else {
        partial_.read(digest, halves);
      }
      writer.add(halves, digest);
    }
    writer.close();
    io::write_file_atomically(staged.path() / "recipe.toml", recipe_text(recipe_));
    staged.publish();
    partial_.remove();
  }

  const snapshot::Snapshot& snapshot_;
  const Recipe& recipe_;
  const model::ModelFolder& model_;
  fs::path folder_;
  std::uint32_t dims_;
  PartialFile partial_;
  std::optional<VectorFile> old_;
  std::unordered_map<std::uint64_t, std::uint32_t> old_rows_;
  std::vector<std::uint64_t> digests_;  ///< of each document's text
  std::vector<Pending> pending_;
  BuildReport report_;
};

}  // namespace

BuildReport build_vectors(const snapshot::Snapshot& snapshot, const Recipe& recipe,
                          const model::ModelFolder& model, const EncoderFactory& make_encoder,
                          const fs::path& folder, const BuildOptions& options, Progress& progress) {
  std::error_code made;
  fs::create_directories(folder.parent_path(), made);
  const io::FileLock lock(folder.parent_path() / fmt::format(".{}.lock", folder.filename().string()));
  return Builder(snapshot, recipe, model, folder).build(make_encoder, options, progress);
}

}  // namespace mustcite::dense
