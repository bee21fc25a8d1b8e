#include <simdjson.h>

#include "core/base/error.hpp"
#include "core/io/lines.hpp"
#include "engine/evaluate/slices.hpp"

namespace mustcite::evaluate {
namespace {

std::vector<std::string_view> split_tabs(std::string_view line) {
  std::vector<std::string_view> columns;
  for (;;) {
    const std::size_t tab = line.find('\t');
    columns.push_back(line.substr(0, tab));
    if (tab == std::string_view::npos) return columns;
    line.remove_prefix(tab + 1);
  }
}

/// Text of a scalar; nothing for null, lists and objects.
std::optional<std::string> scalar(simdjson::dom::element element) {
  switch (element.type()) {
    case simdjson::dom::element_type::STRING:
      return std::string(std::string_view(element));
    case simdjson::dom::element_type::INT64:
      return std::to_string(std::int64_t(element));
    case simdjson::dom::element_type::UINT64:
      return std::to_string(std::uint64_t(element));
    case simdjson::dom::element_type::DOUBLE:
      return fmt::format("{}", double(element));
    case simdjson::dom::element_type::BOOL:
      return bool(element) ? "true" : "false";
    default:
      return std::nullopt;
  }
}

class AttributeReader {
 public:
  AttributeReader(const std::filesystem::path& path, Attributes& out)
      : path_(path), lines_(path), out_(out) {}

  void read() {
    for (std::string_view line; lines_.next(line);) {
      if (line.find_first_not_of(" \t") == std::string_view::npos) continue;
      if (json_ == Layout::unseen) json_ = line.front() == '{' ? Layout::json : Layout::table;
      if (json_ == Layout::json) {
        json_line(line);
      } else {
        table_line(line);
      }
    }
  }

 private:
  enum class Layout { unseen, json, table };

  [[noreturn]] void refuse(const std::string& what) const {
    fail(ErrorCode::invalid_input, "{}:{} {}", path_.string(), lines_.line_number(), what);
  }

  void json_line(std::string_view line) {
    simdjson::dom::element record;
    if (const auto error = parser_.parse(simdjson::padded_string(line)).get(record);
        error != simdjson::SUCCESS) {
      refuse(fmt::format("is not a JSON object ({}): correct or remove the line",
                         simdjson::error_message(error)));
    }
    simdjson::dom::element id;
    if (record["id"].get(id) != simdjson::SUCCESS && record["_id"].get(id) != simdjson::SUCCESS) {
      refuse("has neither `id` nor `_id`: name the paper or query it describes");
    }
    simdjson::dom::element value;
    if (record[out_.name].get(value) != simdjson::SUCCESS &&
        record["metadata"][out_.name].get(value) != simdjson::SUCCESS) {
      return;
    }
    const auto key = scalar(id);
    const auto text = scalar(value);
    if (key && text && !text->empty()) out_.values.emplace(*key, *text);
  }

  void table_line(std::string_view line) {
    const auto columns = split_tabs(line);
    if (width_ == 0) {
      width_ = columns.size();
      for (std::size_t c = 1; c < width_; ++c) {
        if (columns[c] == out_.name) column_ = c;
      }
      if (column_ == 0) {
        refuse(fmt::format(
            "has no column {} after the first, which holds the id: the first line names the columns, "
            "separated by tabs",
            in_quotes(out_.name)));
      }
      return;
    }
    if (columns.size() != width_) {
      refuse(fmt::format("has {} columns where the header has {}: correct the line", columns.size(), width_));
    }
    if (!columns[column_].empty()) out_.values.emplace(columns[0], columns[column_]);
  }

  const std::filesystem::path& path_;
  io::LineReader lines_;
  Attributes& out_;
  simdjson::dom::parser parser_;
  Layout json_ = Layout::unseen;
  std::size_t width_ = 0;
  std::size_t column_ = 0;
};

}  // namespace

Attributes read_attributes(const std::filesystem::path& path, const std::string& name) {
  Attributes result;
  result.name = name;
  AttributeReader(path, result).read();
  if (result.values.empty()) {
    fail(ErrorCode::invalid_input, "{} gives no id the attribute {}: check its spelling", path.string(),
         in_quotes(name));
  }
  return result;
}

}  // namespace mustcite::evaluate
