#pragma once

#include "engine/dense/quantised.hpp"

/// Vectors in eight bits, under the names this room uses.
namespace mustcite::rank {

using dense::quantised;
using dense::QuantisedRows;
using dense::QuantisedTable;
using dense::QuantisedVector;

}  // namespace mustcite::rank
