#pragma once

#include <string_view>

namespace mustcite::text {

/// The character that `&name;` stands for (name without `&` and `;`), or 0 for an unknown name.
[[nodiscard]] char32_t entity_code(std::string_view name) noexcept;

}  // namespace mustcite::text
