#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/base/error.hpp"
#include "engine/model/model_folder.hpp"

namespace mustcite::train {
class Learner;
struct LearnerOptions;
}  // namespace mustcite::train
namespace mustcite::baseline {
class Learner;
class Ranker;
struct Data;
struct World;
}  // namespace mustcite::baseline

/// Texts and documents as dense vectors, and the search among them.
namespace mustcite::dense {

struct EncoderOptions {
  enum class Precision {
    automatic,  ///< bfloat16 where the processor computes it natively, else float32
    float32,
    bfloat16
  };
  Precision precision = Precision::automatic;
  std::size_t threads = 0;  ///< 0: all cores
  /// Tokens of one batch: texts of like length are packed until this many tokens are together.
  std::size_t batch_tokens = 4096;
};

/// Two texts that a model reads together.
struct TextPair {
  std::string_view first;
  std::string_view second;
};

/// Makes vectors of texts. Not thread-safe: one call at a time, which uses all of `EncoderOptions::threads`.
class Encoder {
 public:
  virtual ~Encoder() = default;
  /// Numbers of a vector.
  [[nodiscard]] virtual std::size_t dimensions() const = 0;
  /// Digest of the model (`model::ModelFolder::digest`): vectors of two encoders compare only when it is the
  /// same.
  [[nodiscard]] virtual const std::string& model_digest() const = 0;
  /// One row of `dimensions()` numbers per text, in the order of the texts, whatever order they are computed
  /// in. `out` holds texts.size() * dimensions() numbers. An empty text has a vector like any other; a long
  /// one is cut at the model's length. Give many texts at once (a few thousand): batches are packed within
  /// one call. Throws Error.
  virtual void encode(std::span<const std::string_view> texts, std::span<float> out) = 0;
  /// The same of pairs, [CLS] first [SEP] second [SEP]: the longer text of a pair gives way first. A
  /// cross-encoder (model::resolve_cross_encoder) makes one number of each, before any sigmoid.
  virtual void encode_pairs(std::span<const TextPair> pairs, std::span<float> out) {
    fail(ErrorCode::internal, "{} pairs were to be encoded into {} numbers by an encoder of single texts",
         pairs.size(), out.size());
  }
};

/// What the library with LibTorch offers to the program. The program never links it: it is loaded when a
/// neural method is asked for.
class NeuralPlugin {
 public:
  virtual ~NeuralPlugin() = default;
  /// "LibTorch 1.13.1" and the like.
  [[nodiscard]] virtual std::string description() const = 0;
  /// Loads the weights of the model. Throws invalid_input for weights that do not fit their config.
  [[nodiscard]] virtual std::unique_ptr<Encoder> open_encoder(const model::ModelFolder& model,
                                                              const EncoderOptions& options) const = 0;
  /// The same weights, ready to learn: see engine/train/learner.hpp.
  [[nodiscard]] virtual std::unique_ptr<train::Learner> open_learner(const model::ModelFolder& model,
                                                                     const train::LearnerOptions& options) const = 0;
  /// A published baseline (baseline::names()) ready to learn from the data, which must outlive it: see
  /// engine/baseline/learner.hpp. Throws unavailable for one that the library does not hold, invalid_input for a
  /// recipe that does not fit.
  [[nodiscard]] virtual std::unique_ptr<baseline::Learner> open_baseline_learner(const baseline::Data& data) const = 0;
  /// A trained one, from its folder: see engine/baseline/ranker.hpp. The world must outlive it. Throws not_found,
  /// corrupt for a damaged folder or one of another snapshot.
  [[nodiscard]] virtual std::unique_ptr<baseline::Ranker> open_baseline(const std::filesystem::path& folder,
                                                                        const baseline::World& world) const = 0;
};

/// Of the interface above. The library and the program must agree on it; raise it with every change here.
inline constexpr int kPluginVersion = 7;

/// What the library exports, as C symbols: `int mustcite_neural_version()` returns its kPluginVersion, and
/// `const mustcite::dense::NeuralPlugin* mustcite_neural_plugin()` the plug-in, which lives as long as the
/// process.
inline constexpr const char* kVersionSymbol = "mustcite_neural_version";
inline constexpr const char* kPluginSymbol = "mustcite_neural_plugin";
inline constexpr const char* kPluginFile = "libmustcite_neural.so";

/// The plug-in, loaded on the first call from $MUSTCITE_NEURAL_PLUGIN, else beside the program
/// (`../lib/mustcite/`, then
/// `../lib` of a build tree). Throws unavailable with what to do when it is absent or of another version. The
/// program exports its symbols, so the library shares the program's state (interrupts, log level) and its
/// exceptions.
[[nodiscard]] const NeuralPlugin& neural_plugin();

}  // namespace mustcite::dense
