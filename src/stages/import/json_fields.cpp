#include "stages/import/json_fields.hpp"

#include "core/base/error.hpp"

namespace mustcite::importing {

simdjson::dom::object parse_json_object(std::string_view line) {
  thread_local simdjson::dom::parser parser;
  simdjson::dom::element root;
  if (const auto error = parser.parse(line.data(), line.size()).get(root); error != simdjson::SUCCESS) {
    fail(ErrorCode::invalid_input, "not valid JSON: {}", simdjson::error_message(error));
  }
  simdjson::dom::object object;
  if (root.get_object().get(object) != simdjson::SUCCESS) fail(ErrorCode::invalid_input, "not a JSON object");
  return object;
}

std::string_view string_field(const simdjson::dom::object& object, std::string_view key) noexcept {
  std::string_view value;
  return object[key].get_string().get(value) == simdjson::SUCCESS ? value : std::string_view();
}

std::optional<std::int64_t> number_field(const simdjson::dom::object& object, std::string_view key) noexcept {
  std::int64_t value = 0;
  if (object[key].get_int64().get(value) != simdjson::SUCCESS) return std::nullopt;
  return value;
}

std::optional<simdjson::dom::object> object_field(const simdjson::dom::object& object,
                                                  std::string_view key) noexcept {
  simdjson::dom::object value;
  if (object[key].get_object().get(value) != simdjson::SUCCESS) return std::nullopt;
  return value;
}

std::optional<simdjson::dom::array> array_field(const simdjson::dom::object& object,
                                                std::string_view key) noexcept {
  simdjson::dom::array value;
  if (object[key].get_array().get(value) != simdjson::SUCCESS) return std::nullopt;
  return value;
}

std::string id_field(const simdjson::dom::object& object, std::string_view key) {
  if (const std::optional<std::int64_t> number = number_field(object, key)) return std::to_string(*number);
  return std::string(string_field(object, key));
}

}  // namespace mustcite::importing
