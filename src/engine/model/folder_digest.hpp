#pragma once

#include <string>

#include "engine/model/model_folder.hpp"

namespace mustcite::model {

/// SHA-256 over everything that decides a vector of this model: see ModelFolder::digest. The digests of large
/// files are kept in `.mustcite-digest` beside them as long as size and time of change stay the same; where
/// that cannot be written, they are computed anew.
[[nodiscard]] std::string folder_digest(const ModelFolder& model);

}  // namespace mustcite::model
