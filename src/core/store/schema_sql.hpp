#pragma once

#include <cstdint>

#include "core/store/sqlite.hpp"

namespace mustcite::store {

/// "MCIT": stands in the header of every catalog file.
inline constexpr std::int64_t kApplicationId = 0x4D434954;

/// The schema version this program writes: the number of migrations it knows.
[[nodiscard]] int current_schema_version() noexcept;

/// What stands in a file before it is used.
enum class SchemaState { empty, current, older };

/// Throws corrupt when the file is another program's database or of a newer version.
[[nodiscard]] SchemaState inspect_schema(Database& database);

/// Brings an empty or older file to the current version, in one transaction.
void migrate(Database& database);

}  // namespace mustcite::store
