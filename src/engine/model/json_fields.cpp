#include "engine/model/json_fields.hpp"

#include <cmath>

#include "core/base/error.hpp"
#include "core/io/file.hpp"

namespace mustcite::model {
namespace {

[[noreturn]] void refuse(std::string_view where, const char* name, std::string_view wanted) {
  fail(ErrorCode::invalid_input, "cannot read {}: its field '{}' is no {}; fetch the file again", where, name,
       wanted);
}

/// The field; null where it is missing.
const Json* field(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

}  // namespace

Json parse_object(std::string_view text, std::string_view where) {
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_object())
    fail(ErrorCode::invalid_input, "cannot read {}: it is no JSON object; fetch the file again", where);
  return json;
}

Json read_object(const std::filesystem::path& path, std::size_t max_bytes) {
  return parse_object(io::read_file(path, max_bytes), path.string());
}

std::int64_t integer_field(const Json& object, const char* name, std::int64_t otherwise,
                           std::string_view where) {
  const Json* const value = field(object, name);
  if (value == nullptr) return otherwise;
  if (!value->is_number_integer() || (value->is_number_unsigned() && value->get<std::uint64_t>() > INT64_MAX))
    refuse(where, name, "whole number");
  return value->get<std::int64_t>();
}

double number_field(const Json& object, const char* name, double otherwise, std::string_view where) {
  const Json* const value = field(object, name);
  if (value == nullptr) return otherwise;
  if (!value->is_number() || !std::isfinite(value->get<double>())) refuse(where, name, "number");
  return value->get<double>();
}

bool flag_field(const Json& object, const char* name, bool otherwise, std::string_view where) {
  const Json* const value = field(object, name);
  if (value == nullptr) return otherwise;
  if (!value->is_boolean()) refuse(where, name, "flag");
  return value->get<bool>();
}

std::string text_field(const Json& object, const char* name, const std::string& otherwise,
                       std::string_view where) {
  const Json* const value = field(object, name);
  if (value == nullptr) return otherwise;
  if (!value->is_string()) refuse(where, name, "text");
  return value->get<std::string>();
}

}  // namespace mustcite::model
