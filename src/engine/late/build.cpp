#include "engine/late/build.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>

#include "core/base/error.hpp"
#include "core/base/hash.hpp"
#include "core/base/threads.hpp"
#include "core/io/file.hpp"
#include "engine/dense/half.hpp"
#include "engine/late/index_writer.hpp"

namespace mustcite::late {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kUsualTokens = 160;       ///< of a document, before any is counted
constexpr std::size_t kTokensPerCentroid = 40;  ///< of the sample

std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

class Builder {
 public:
  Builder(const snapshot::Snapshot& snapshot, const Recipe& recipe, const model::LateModel& model,
          const TokenEncoderFactory& make_encoder, const fs::path& folder, const BuildOptions& options)
      : snapshot_(snapshot),
        recipe_(recipe),
        model_(model),
        make_encoder_(make_encoder),
        folder_(folder),
        options_(options),
        parts_(folder.parent_path() / fmt::format(".{}.parts", folder.filename().string())) {
    report_.documents = snapshot.size();
    identity_ = fmt::format("model {} snapshot {} bits {} centroids {} part {} seed {}", model.digest,
                            snapshot.digest(), options.bits, options.centroids, options.part, options.seed);
  }

  BuildReport build(Progress& progress) {
    fs::create_directories(parts_);
    begin_anew_when_other();
    const Codec codec = codec_of(progress);
    report_.centroids = static_cast<std::uint32_t>(codec.centroids());
    const NearestCentroid nearest(codec);
    progress.begin("encoding", report_.documents);
    CompressedPart all;
    for (std::uint32_t begin = 0; begin < snapshot_.size();
         begin += static_cast<std::uint32_t>(options_.part)) {
      stop_if_interrupted();
      const auto end =
          static_cast<std::uint32_t>(std::min<std::size_t>(snapshot_.size(), begin + options_.part));
      all.append_outline(part(begin, end, codec, nearest));
      progress.advance(end - begin);
    }
    progress.finish();
    report_.tokens = all.codes.size();
    publish(codec, all);
    return report_;
  }

 private:
  [[nodiscard]] std::string text_of(std::uint32_t row) const {
    const auto document = snapshot_.document(DocId{row});
    return dense::document_text(recipe_.text, {document.title, document.abstract, {}});
  }

  /// Parts of another model, of other documents or of other options count nothing.
  void begin_anew_when_other() {
    const fs::path mark = parts_ / "build.txt";
    if (fs::exists(mark) && io::read_file(mark, 1 << 16) == identity_) return;
    for (const auto& entry : fs::directory_iterator(parts_)) fs::remove_all(entry.path());
    io::write_file_atomically(mark, identity_);
  }

  TokenEncoder& encoder() {
    if (!encoder_) {
      encoder_ = make_encoder_(model_);
      if (encoder_->dimensions() != model_.dimensions() || encoder_->model_digest() != model_.digest)
        fail(ErrorCode::internal, "the encoder is of another model than the one asked for");
    }
    return *encoder_;
  }

  TokenVectors encode(const std::vector<std::uint32_t>& rows) {
    std::vector<std::string> texts;
    for (const std::uint32_t row : rows) texts.push_back(text_of(row));
    const std::vector<std::string_view> views(texts.begin(), texts.end());
    TokenVectors vectors = encoder().encode(views, model::TextRole::document);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (const float value : vectors.of(i)) {
        if (!std::isfinite(value)) {
          fail(ErrorCode::invalid_input,
               "the model in {} gives numbers that are none for document {}: its weights are damaged, or "
               "computed too "
               "coarsely (--set encode.precision=float32)",
               model_.folder.folder.string(), snapshot_.document(DocId{rows[i]}).id);
        }
      }
    }
    return vectors;
  }

  /// Documents that the codec is made from: those whose numbers the seed draws first.
  [[nodiscard]] std::vector<std::uint32_t> sampled_rows(std::size_t centroids) const {
    const std::size_t count =
        std::min<std::size_t>(snapshot_.size(), centroids * kTokensPerCentroid / kUsualTokens + 1);
    std::vector<std::pair<std::uint64_t, std::uint32_t>> drawn;
    for (std::uint32_t row = 0; row < snapshot_.size(); ++row)
      drawn.emplace_back(mixed(options_.seed * 0x51ed27 + row), row);
    std::partial_sort(drawn.begin(), drawn.begin() + static_cast<std::ptrdiff_t>(count), drawn.end());
    std::vector<std::uint32_t> rows;
    for (std::size_t i = 0; i < count; ++i) rows.push_back(drawn[i].second);
    std::sort(rows.begin(), rows.end());
    return rows;
  }

  /// The codec of an interrupted call, or a new one.
  Codec codec_of(Progress& progress) {
    const fs::path file = parts_ / "codec.bin";
    if (fs::exists(file)) return read_codec_file(file, identity_);
    const std::size_t wanted = options_.centroids > 0
                                   ? options_.centroids
                                   : centroids_for(std::uint64_t{snapshot_.size()} * kUsualTokens);
    const auto rows = sampled_rows(wanted);
    report_.sampled = rows.size();
    Sample sample;
    sample.dims = model_.dimensions();
    progress.begin("sampling", rows.size());
    for (std::size_t begin = 0; begin < rows.size(); begin += options_.part) {
      stop_if_interrupted();
      const std::size_t end = std::min(rows.size(), begin + options_.part);
      const std::vector<std::uint32_t> some(rows.begin() + static_cast<std::ptrdiff_t>(begin),
                                            rows.begin() + static_cast<std::ptrdiff_t>(end));
      const auto vectors = encode(some);
      std::transform(vectors.values.begin(), vectors.values.end(), std::back_inserter(sample.values),
                     dense::to_half);
      progress.advance(end - begin);
    }
    progress.finish();
    CodecOptions options;
    options.bits = options_.bits;
    options.centroids = wanted;
    options.seed = options_.seed;
    options.threads = options_.threads;
    progress.begin("clustering", options.rounds);
    Codec codec = train_codec(sample, options, [&](std::uint64_t rounds) { progress.advance(rounds); });
    progress.finish();
    write_codec_file(file, codec, identity_);
    return codec;
  }

  [[nodiscard]] fs::path part_file(std::size_t begin) const {
    return parts_ / fmt::format("{:08}.bin", begin);
  }

  CompressedPart part(std::uint32_t begin, std::uint32_t end, const Codec& codec,
                      const NearestCentroid& nearest) {
    const fs::path file = part_file(begin);
    if (fs::exists(file)) {
      auto found = read_part(file, identity_, codec);
      if (found.counts.size() == end - begin) {
        report_.resumed += end - begin;
        return found;
      }
    }
    std::vector<std::uint32_t> rows;
    for (std::uint32_t row = begin; row < end; ++row) rows.push_back(row);
    const TokenVectors vectors = encode(rows);
    std::vector<CompressedPart> made(rows.size());
    parallel_for(rows.size(), options_.threads, [&](std::size_t i, std::size_t) {
      const std::string text = text_of(rows[i]);
      made[i].add(vectors.of(i), checksum64(std::as_bytes(std::span(text))), codec, nearest);
    });
    CompressedPart part;
    for (const auto& one : made) part.append(one);
    write_part(file, part, identity_);
    report_.encoded += end - begin;
    return part;
  }

  void publish(const Codec& codec, const CompressedPart& all) {
    io::StagedDirectory staged(folder_);
    IndexInfo info;
    info.recipe = recipe_;
    info.model_folder = fs::absolute(model_.folder.folder).string();
    info.model_digest = model_.digest;
    info.snapshot_digest = snapshot_.digest();
    report_.bytes = write_index(staged.path(), info, codec, all, [&](const auto& write) {
      for (std::size_t begin = 0; begin < snapshot_.size(); begin += options_.part)
        write(read_part(part_file(begin), identity_, codec).residuals);
    });
    io::write_file_atomically(staged.path() / "recipe.toml", recipe_text(recipe_));
    staged.publish();
    fs::remove_all(parts_);
  }

  const snapshot::Snapshot& snapshot_;
  const Recipe& recipe_;
  const model::LateModel& model_;
  const TokenEncoderFactory& make_encoder_;
  fs::path folder_;
  BuildOptions options_;
  fs::path parts_;
  std::string identity_;
  std::unique_ptr<TokenEncoder> encoder_;
  BuildReport report_;
};

}  // namespace

BuildReport build_index(const snapshot::Snapshot& snapshot, const Recipe& recipe,
                        const model::LateModel& model, const TokenEncoderFactory& make_encoder,
                        const fs::path& folder, const BuildOptions& options, Progress& progress) {
  std::error_code made;
  fs::create_directories(folder.parent_path(), made);
  const io::FileLock lock(folder.parent_path() / fmt::format(".{}.lock", folder.filename().string()));
  return Builder(snapshot, recipe, model, make_encoder, folder, options).build(progress);
}

}  // namespace mustcite::late
