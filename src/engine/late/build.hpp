#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>

#include "core/base/progress.hpp"
#include "engine/late/index_file.hpp"
#include "engine/late/token_encoder.hpp"
#include "engine/snapshot/snapshot.hpp"

namespace mustcite::late {

/// Makes the token encoder of a model; it is asked for only when a text must be encoded.
using TokenEncoderFactory = std::function<std::unique_ptr<TokenEncoder>(const model::LateModel&)>;

struct BuildOptions {
  std::size_t bits = 2;       ///< of a residual's dimension: 1, 2 or 4
  std::size_t centroids = 0;  ///< 0: as `centroids_for` says
  std::size_t part = 1024;    ///< documents encoded at once; after each part the work is safe on the disk
  std::uint64_t seed = 1;     ///< of the sample that the codec is made from
  std::size_t threads = 0;
};

/// encoded + resumed == documents, always.
struct BuildReport {
  std::uint64_t documents = 0;
  std::uint64_t encoded = 0;
  std::uint64_t resumed = 0;  ///< documents that an interrupted call had encoded
  std::uint64_t sampled = 0;  ///< documents that the codec was made from, where this call made it
  std::uint64_t tokens = 0;
  std::uint32_t centroids = 0;
  std::uint64_t bytes = 0;  ///< of the index
};

/// Encodes a sample of the documents for the codec and then every document, and publishes `folder` with one
/// rename. Interrupted or killed, the next call goes on. Two calls for one folder at once: the second is
/// refused. Throws invalid_input when the encoder gives numbers that are none.
BuildReport build_index(const snapshot::Snapshot& snapshot, const Recipe& recipe,
                        const model::LateModel& model, const TokenEncoderFactory& make_encoder,
                        const std::filesystem::path& folder, const BuildOptions& options, Progress& progress);

}  // namespace mustcite::late
