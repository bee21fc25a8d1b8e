#include "core/schema/jsonl.hpp"

#include <simdjson.h>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/base/error.hpp"
#include "core/text/normalise.hpp"

namespace mustcite {
namespace {

using simdjson::dom::element;
using simdjson::dom::element_type;

// Writing ---------------------------------------------------------------------------------------------------

void append_escaped(std::string_view text, std::string& out) {
  constexpr std::string_view kHex = "0123456789abcdef";
  out.push_back('"');
  for (const char c : text) {
    switch (c) {
      case '"':
        out.append("\\\"");
        break;
      case '\\':
        out.append("\\\\");
        break;
      case '\n':
        out.append("\\n");
        break;
      case '\r':
        out.append("\\r");
        break;
      case '\t':
        out.append("\\t");
        break;
      case '\b':
        out.append("\\b");
        break;
      case '\f':
        out.append("\\f");
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          out.append("\\u00");
          out.push_back(kHex[static_cast<unsigned char>(c) >> 4]);
          out.push_back(kHex[static_cast<unsigned char>(c) & 15]);
        } else {
          out.push_back(c);
        }
    }
  }
  out.push_back('"');
}

/// JSON text must be UTF-8 whatever it came from.
void append_string(std::string_view text, std::string& out) {
  if (text::is_valid_utf8(text)) {
    append_escaped(text, out);
  } else {
    append_escaped(text::repair_utf8(text), out);
  }
}

void append_key(std::string_view key, std::string& out) {
  out.push_back(out.back() == '{' ? '"' : ',');
  if (out.back() == ',') out.push_back('"');
  out.append(key).append("\":");
}

void append_field(std::string_view key, std::string_view value, std::string& out) {
  append_key(key, out);
  append_string(value, out);
}

void append_optional_field(std::string_view key, std::string_view value, std::string& out) {
  if (!value.empty()) append_field(key, value, out);
}

void append_number(std::string_view key, std::optional<int> value, std::string& out) {
  append_key(key, out);
  out.append(value ? std::to_string(*value) : "null");
}

std::optional<int> known_year(int year) {
  return year == 0 ? std::nullopt : std::optional<int>(year);
}

// Reading ---------------------------------------------------------------------------------------------------

/// Parses a line and hands over its object. simdjson's parser keeps its buffers, so each thread keeps one.
simdjson::dom::object parse_object(std::string_view line, simdjson::dom::parser& parser) {
  element root;
  if (const auto error = parser.parse(line.data(), line.size()).get(root); error != simdjson::SUCCESS) {
    fail(ErrorCode::invalid_input, "not valid JSON: {}", simdjson::error_message(error));
  }
  simdjson::dom::object object;
  if (root.get_object().get(object) != simdjson::SUCCESS) fail(ErrorCode::invalid_input, "not a JSON object");
  return object;
}

simdjson::dom::parser& thread_parser() {
  thread_local simdjson::dom::parser parser;
  return parser;
}

[[noreturn]] void wrong_type(std::string_view key, const char* wanted) {
  fail(ErrorCode::invalid_input, "field '{}' is not {}", key, wanted);
}

/// A string; a whole number as its digits (some exports give numeric ids); null as empty.
std::string read_text(std::string_view key, const element& value) {
  switch (value.type()) {
    case element_type::STRING:
      return std::string(value.get_string().value());
    case element_type::NULL_VALUE:
      return {};
    case element_type::INT64:
      return std::to_string(value.get_int64().value());
    case element_type::UINT64:
      return std::to_string(value.get_uint64().value());
    default:
      wrong_type(key, "a string");
  }
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// A whole number that fits an int, also as a string or as 2024.0; nothing for null and for an empty string.
std::optional<int> read_number(std::string_view key, const element& value) {
  std::int64_t number = 0;
  if (value.is_null()) return std::nullopt;
  if (value.type() == element_type::STRING) {
    const std::string_view text = trim(value.get_string().value());
    if (text.empty()) return std::nullopt;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) wrong_type(key, "a whole number");
  } else if (value.type() == element_type::DOUBLE) {
    const double real = value.get_double().value();
    if (std::trunc(real) != real || std::abs(real) > 1e9) wrong_type(key, "a whole number");
    number = static_cast<std::int64_t>(real);
  } else if (value.get_int64().get(number) != simdjson::SUCCESS) {
    wrong_type(key, "a whole number");
  }
  if (number < std::numeric_limits<int>::min() || number > std::numeric_limits<int>::max()) {
    wrong_type(key, "a whole number of sensible size");
  }
  return static_cast<int>(number);
}

std::optional<int> read_count(std::string_view key, const element& value) {
  const std::optional<int> count = read_number(key, value);
  if (count && *count < 0) wrong_type(key, "a count of 0 or more, or null");
  return count;
}

/// A list of names, a list of objects with a name, or one string.
std::vector<std::string> read_authors(const element& value) {
  std::vector<std::string> authors;
  if (value.is_null()) return authors;
  if (value.type() == element_type::STRING) {
    if (const std::string_view name = value.get_string().value(); !name.empty()) authors.emplace_back(name);
    return authors;
  }
  simdjson::dom::array list;
  if (value.get_array().get(list) != simdjson::SUCCESS) wrong_type("authors", "a list");
  for (const element item : list) {
    if (item.type() == element_type::STRING) {
      authors.emplace_back(item.get_string().value());
      continue;
    }
    std::string_view name;
    if (item["name"].get_string().get(name) != simdjson::SUCCESS) {
      wrong_type("authors", "a list of names or of objects with a 'name'");
    }
    authors.emplace_back(name);
  }
  return authors;
}

std::vector<CitationContext> read_contexts(const element& value) {
  std::vector<CitationContext> contexts;
  if (value.is_null()) return contexts;
  simdjson::dom::array list;
  if (value.get_array().get(list) != simdjson::SUCCESS) wrong_type("contexts", "a list");
  for (const element item : list) {
    CitationContext context;
    if (item.type() == element_type::STRING) {
      context.text = std::string(item.get_string().value());
    } else {
      simdjson::dom::object object;
      if (item.get_object().get(object) != simdjson::SUCCESS) {
        wrong_type("contexts", "a list of sentences or of objects with 'section' and 'text'");
      }
      for (const auto& [key, field] : object) {
        if (key == "section") context.section = read_text("contexts.section", field);
        if (key == "text") context.text = read_text("contexts.text", field);
      }
    }
    contexts.push_back(std::move(context));
  }
  return contexts;
}

/// A date refines a year; where they disagree the year counts, for it is that of the proceedings.
Date joint_date(std::optional<int> year, const std::string& text) {
  Date date;
  if (!text.empty()) {
    const std::optional<Date> parsed = parse_date(text);
    if (!parsed)
      fail(ErrorCode::invalid_input, "field 'date' is '{}': use 2024, 2024-05 or 2024-05-15",
           text.substr(0, 40));
    date = *parsed;
  }
  if (year && date.year != *year) date = Date{*year, 0, 0};
  return date;
}

}  // namespace

std::string to_json_line(const Paper& paper) {
  std::string out = "{";
  out.reserve(paper.title.size() + paper.abstract.size() + 200);
  append_field("id", paper.id.str(), out);
  append_field("title", paper.title, out);
  append_field("abstract", paper.abstract, out);
  append_key("authors", out);
  out.push_back('[');
  for (std::size_t i = 0; i < paper.authors.size(); ++i) {
    if (i > 0) out.push_back(',');
    append_string(paper.authors[i], out);
  }
  out.push_back(']');
  append_field("venue", paper.venue, out);
  append_number("year", known_year(paper.date.year), out);
  if (paper.date.month != 0) append_field("date", format_date(paper.date), out);
  append_optional_field("track", paper.track, out);
  append_optional_field("url", paper.url, out);
  append_optional_field("doi", paper.doi, out);
  append_optional_field("arxiv_id", paper.arxiv_id, out);
  out.push_back('}');
  return out;
}

std::string to_json_line(const Citation& citation) {
  std::string out = "{";
  append_field("citing_id", citation.citing.str(), out);
  append_field("cited_id", citation.cited.str(), out);
  append_number("citing_year", known_year(citation.citing_year), out);
  append_number("mentions", citation.mentions, out);
  append_number("exp_mentions", citation.exp_mentions, out);
  append_optional_field("marker", citation.marker, out);
  append_key("contexts", out);
  out.push_back('[');
  for (std::size_t i = 0; i < citation.contexts.size(); ++i) {
    out.append(i > 0 ? ",{" : "{");
    append_field("section", citation.contexts[i].section, out);
    append_field("text", citation.contexts[i].text, out);
    out.push_back('}');
  }
  out.append("]}");
  return out;
}

Paper paper_from_json(std::string_view line) {
  Paper paper;
  std::optional<int> year;
  std::string date;
  std::string text;
  bool has_title = false;
  for (const auto& [key, value] : parse_object(line, thread_parser())) {
    if (key == "id" || (key == "_id" && paper.id.empty())) {
      paper.id = PaperId(read_text(key, value));
    } else if (key == "title") {
      paper.title = read_text(key, value);
      has_title = !value.is_null();
    } else if (key == "abstract") {
      paper.abstract = read_text(key, value);
    } else if (key == "text") {
      text = read_text(key, value);
    } else if (key == "authors") {
      paper.authors = read_authors(value);
    } else if (key == "venue") {
      paper.venue = read_text(key, value);
    } else if (key == "year") {
      year = read_number(key, value);
    } else if (key == "date") {
      date = read_text(key, value);
    } else if (key == "track") {
      paper.track = read_text(key, value);
    } else if (key == "url") {
      paper.url = read_text(key, value);
    } else if (key == "doi") {
      paper.doi = read_text(key, value);
    } else if (key == "arxiv_id") {
      paper.arxiv_id = read_text(key, value);
    }
  }
  if (paper.id.empty()) fail(ErrorCode::invalid_input, "field 'id' is missing");
  if (!has_title) fail(ErrorCode::invalid_input, "field 'title' is missing");
  if (paper.abstract.empty()) paper.abstract = std::move(text);
  paper.date = joint_date(year, date);
  return paper;
}

Citation citation_from_json(std::string_view line) {
  Citation citation;
  for (const auto& [key, value] : parse_object(line, thread_parser())) {
    if (key == "citing_id") {
      citation.citing = PaperId(read_text(key, value));
    } else if (key == "cited_id") {
      citation.cited = PaperId(read_text(key, value));
    } else if (key == "citing_year") {
      citation.citing_year = read_number(key, value).value_or(0);
    } else if (key == "mentions") {
      citation.mentions = read_count(key, value);
    } else if (key == "exp_mentions") {
      citation.exp_mentions = read_count(key, value);
    } else if (key == "marker") {
      citation.marker = read_text(key, value);
    } else if (key == "contexts") {
      citation.contexts = read_contexts(value);
    }
  }
  if (citation.citing.empty()) fail(ErrorCode::invalid_input, "field 'citing_id' is missing");
  if (citation.cited.empty()) fail(ErrorCode::invalid_input, "field 'cited_id' is missing");
  return citation;
}

}  // namespace mustcite
