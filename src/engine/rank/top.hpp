#pragma once

#include "engine/index/top.hpp"

/// The best of many scores, under the names this room uses.
namespace mustcite::rank {

using index::better;
using index::contains;
using index::TopK;

}  // namespace mustcite::rank
