#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>

#include "core/base/progress.hpp"
#include "engine/dense/encoder.hpp"
#include "engine/dense/vector_file.hpp"
#include "engine/snapshot/snapshot.hpp"

namespace mustcite::dense {

/// Makes the encoder of a model; the program's own is `neural_plugin().open_encoder`. It is asked for only
/// when a text must be encoded.
using EncoderFactory = std::function<std::unique_ptr<Encoder>(const model::ModelFolder&)>;

struct BuildOptions {
  Storage storage = Storage::float16;
  /// Texts given to the encoder at once. After each such part the work is safe on the disk.
  std::size_t part = 2048;
};

/// encoded + reused + resumed + repeated == documents, always.
struct BuildReport {
  std::uint64_t documents = 0;
  std::uint64_t encoded = 0;
  std::uint64_t reused = 0;    ///< texts that the vectors before had already
  std::uint64_t resumed = 0;   ///< texts that an interrupted call had encoded
  std::uint64_t repeated = 0;  ///< texts that another document has as well
};

/// Encodes every document of the snapshot (or takes its vector from an older file of the same model, by its
/// text) and publishes `folder` with one rename. Interrupted or killed, the next call goes on. Two calls for
/// one folder at once: the second is refused. Throws invalid_input when the encoder gives numbers that are
/// none.
BuildReport build_vectors(const snapshot::Snapshot& snapshot, const Recipe& recipe,
                          const model::ModelFolder& model, const EncoderFactory& make_encoder,
                          const std::filesystem::path& folder, const BuildOptions& options,
                          Progress& progress);

}  // namespace mustcite::dense
