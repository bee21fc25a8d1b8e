#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mustcite::importing {

/// Parses one line as a JSON object; valid until the thread's next call. Throws invalid_input.
[[nodiscard]] simdjson::dom::object parse_json_object(std::string_view line);

// Fields of exports that may lack any of them: absent, null or of another type reads as empty.
[[nodiscard]] std::string_view string_field(const simdjson::dom::object& object,
                                            std::string_view key) noexcept;
[[nodiscard]] std::optional<std::int64_t> number_field(const simdjson::dom::object& object,
                                                       std::string_view key) noexcept;
[[nodiscard]] std::optional<simdjson::dom::object> object_field(const simdjson::dom::object& object,
                                                                std::string_view key) noexcept;
[[nodiscard]] std::optional<simdjson::dom::array> array_field(const simdjson::dom::object& object,
                                                              std::string_view key) noexcept;
/// A string, or a whole number as its digits.
[[nodiscard]] std::string id_field(const simdjson::dom::object& object, std::string_view key);

}  // namespace mustcite::importing
