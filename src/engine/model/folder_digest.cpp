#include "engine/model/folder_digest.hpp"

#include <chrono>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/base/hash.hpp"
#include "core/io/file.hpp"
#include "engine/model/tensor_file.hpp"

namespace mustcite::model {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr const char* kCacheFile = ".mustcite-digest";
constexpr std::size_t kMostCacheBytes = std::size_t{1} << 20;

/// SHA-256 of the files of one folder, remembered in it.
class FileDigests {
 public:
  explicit FileDigests(const fs::path& folder) : folder_(folder) {
    std::error_code none;
    if (fs::is_regular_file(cache(), none) && fs::file_size(cache(), none) <= kMostCacheBytes)
      known_ = Json::parse(io::read_file(cache()), nullptr, false);
    if (!known_.is_object()) known_ = Json::object();
  }

  std::string of(const fs::path& file) {
    const std::string name = file.filename().string();
    // Nanoseconds: a file written anew within a second is another one.
    const auto changed =
        std::chrono::duration_cast<std::chrono::nanoseconds>(fs::last_write_time(file).time_since_epoch())
            .count();
    const std::string state = fmt::format("{} {}", fs::file_size(file), changed);
    const auto found = known_.find(name);
    if (found != known_.end() && found->is_object() && found->value("state", "") == state &&
        found->value("sha256", "").size() == 64)
      return found->value("sha256", "");
    const std::string digest = sha256_file(file);
    known_[name] = {{"state", state}, {"sha256", digest}};
    changed_ = true;
    return digest;
  }

  /// Remembers what is new. A folder that cannot be written stays as it is.
  void save() const {
    if (!changed_) return;
    try {
      io::write_file_atomically(cache(), known_.dump(2) + "\n");
    } catch (const Error&) {  // read-only: the next call computes the digests again
    }
  }

 private:
  [[nodiscard]] fs::path cache() const { return folder_ / kCacheFile; }

  fs::path folder_;
  Json known_;
  bool changed_ = false;
};

void add_file(Sha256& sha, FileDigests& digests, const fs::path& file) {
  std::error_code none;
  if (fs::is_regular_file(file, none))
    sha.update(fmt::format("{} {}\n", file.filename().string(), digests.of(file)));
}

/// Weights by their file, and by their shards where there are several.
void add_weights(Sha256& sha, FileDigests& digests, const fs::path& weights) {
  if (!weights.string().ends_with(".index.json")) return add_file(sha, digests, weights);
  for (const fs::path& file : TensorFile::open(weights).files()) add_file(sha, digests, file);
}

}  // namespace

std::string folder_digest(const ModelFolder& model) {
  Sha256 sha;
  {
    FileDigests digests(model.transformer);
    add_file(sha, digests, model.transformer / "config.json");
    for (const char* vocabulary : {"tokenizer.json", "vocab.txt", "tokenizer_config.json"})
      add_file(sha, digests, model.transformer / vocabulary);
    add_weights(sha, digests, *weights_of(model.transformer));
    digests.save();
  }
  if (model.adapter) {
    FileDigests digests(model.adapter->folder);
    add_file(sha, digests, model.adapter->folder / "adapter_config.json");
    add_weights(sha, digests, adapter_weights(*model.adapter));
    digests.save();
  }
  for (const DenseLayer& layer : model.dense) {
    if (layer.folder == model.transformer) {  // the head of a cross-encoder: its file is counted already
      sha.update(fmt::format("{} {} {} {}\n", layer.tensor, layer.out, name_of(layer.activation),
                             layer.fresh ? std::to_string(*layer.fresh) : "read"));
      continue;
    }
    FileDigests digests(layer.folder);
    add_file(sha, digests, layer.folder / "config.json");
    add_weights(sha, digests, *weights_of(layer.folder));
    digests.save();
  }
  sha.update(fmt::format("pooling {} normalise {} length {}\n", name_of(model.pooling), model.normalise,
                         model.max_length));
  return sha.hex();
}

}  // namespace mustcite::model
