#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace mustcite::baseline {

/// One measurement on the held-out examples.
struct Measurement {
  std::string stage;
  std::size_t epoch = 0;  ///< 0: before the stage
  double loss = 0;        ///< mean of the epoch
  double recall_100 = 0;
  double mrr = 0;
};

/// What a trained model's folder says of itself: `model.json`, beside `weights.safetensors` and whatever the
/// baseline wrote besides.
struct Card {
  std::string name;      ///< of the recipe: what `--method` calls it
  std::string baseline;  ///< which code reads it
  std::string recipe;    ///< text of the recipe, with what the command line changed
  std::uint64_t seed = 0;
  int until = 0;  ///< newest year of the evidence it learnt from
  std::string snapshot;
  std::string release;   ///< name; empty: the catalog
  std::string revision;  ///< digest of the release's manifest; empty: the catalog
  std::string features;
  std::string features_digest;
  std::size_t train_examples = 0;
  std::size_t held_out_examples = 0;
  std::uint64_t weights = 0;
  std::vector<Measurement> measurements;
  double seconds = 0;            ///< of training, all calls together
  std::uint64_t peak_bytes = 0;  ///< largest resident memory of a call
  std::string weights_digest;    ///< sha256 of weights.safetensors
};

inline constexpr const char* kCardFile = "model.json";
inline constexpr const char* kWeightsFile = "weights.safetensors";

/// Writes model.json; `weights_digest` is taken of the file that lies there.
void write_card(const Card& card, const std::filesystem::path& folder);
/// Throws not_found naming the command that trains, corrupt when the folder is damaged.
[[nodiscard]] Card read_card(const std::filesystem::path& folder);
/// Throws corrupt when the model was trained on another snapshot, or its weights are not those it names.
void check_card(const Card& card, const std::filesystem::path& folder, const std::string& snapshot_digest);

}  // namespace mustcite::baseline
