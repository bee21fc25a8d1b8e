#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

/// Reading fields of the small JSON files of model folders. Included by this room's .cpp files only.
namespace mustcite::model {

using Json = nlohmann::json;

/// A JSON object. Throws invalid_input naming `where`.
[[nodiscard]] Json parse_object(std::string_view text, std::string_view where);

/// The file as a JSON object. Throws not_found or invalid_input; more than `max_bytes` are refused.
[[nodiscard]] Json read_object(const std::filesystem::path& path,
                               std::size_t max_bytes = std::size_t{16} << 20);

/// The field, or the default where it is missing or null. Throw invalid_input when it is of another kind.
[[nodiscard]] std::int64_t integer_field(const Json& object, const char* name, std::int64_t otherwise,
                                         std::string_view where);
[[nodiscard]] double number_field(const Json& object, const char* name, double otherwise,
                                  std::string_view where);
[[nodiscard]] bool flag_field(const Json& object, const char* name, bool otherwise, std::string_view where);
[[nodiscard]] std::string text_field(const Json& object, const char* name, const std::string& otherwise,
                                     std::string_view where);

}  // namespace mustcite::model
