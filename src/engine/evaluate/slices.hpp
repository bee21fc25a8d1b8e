#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/evaluate/qrels.hpp"

namespace mustcite::evaluate {

/// One attribute of queries or documents: a value for each id.
struct Attributes {
  std::string name;
  std::unordered_map<std::string, std::string> values;
  /// The value of ids that are not listed; nothing: unknown.
  std::optional<std::string> otherwise;

  [[nodiscard]] const std::string* find(std::string_view id) const;
};

/// Reads attribute `name` from a table with a header (columns separated by tabs, the first one the id) or
/// from JSON lines (`id` or `_id`; the attribute at the top or under `metadata`). Plain, .gz and .zst. Throws
/// invalid_input naming file and line, and when no line has the attribute.
[[nodiscard]] Attributes read_attributes(const std::filesystem::path& path, const std::string& name);

/// How often each document is relevant in other qrels, e.g. those of the training queries; 0 for all others.
[[nodiscard]] Attributes popularity(const Qrels& evidence, int relevance_level = 1);

/// Whole numbers from `low` to `high`, both included.
struct Bin {
  std::string name;
  long low = 0;
  long high = 0;
};

/// Reads `0,1-4,5-19,20+`. Throws usage for anything else and for bins that overlap.
[[nodiscard]] std::vector<Bin> parse_bins(std::string_view text);

/// A way to cut a table into rows.
struct Slicing {
  enum class By {
    query,     ///< an attribute of the query: a row for each value, all metrics over its queries
    document,  ///< an attribute of the relevant document: Recall@K restricted to the relevant documents of
               ///< the slice
    age        ///< the query's year minus the document's, otherwise as document
  };
  By by = By::query;
  /// What tables call it.
  std::string name;
  Attributes queries;    ///< By::query and By::age
  Attributes documents;  ///< By::document and By::age
  /// Empty: a slice for each value.
  std::vector<Bin> bins;
};

/// Where `read_slicing` finds attributes.
struct AttributeFiles {
  std::filesystem::path queries;
  std::filesystem::path documents;
  std::filesystem::path evidence;  ///< qrels that popularity is counted from
};

/// Reads a command line's wish: `query:venue`, `query:year`, `document:venue`,
/// `document:citations=0,1-9,10+`, `age` (attribute `year` of both), `age=0-1,2-4,5+`, `popularity` (needs
/// evidence). Throws usage for an unknown form and when the file it needs is not given.
[[nodiscard]] Slicing read_slicing(std::string_view wish, const AttributeFiles& files);

/// The slice that a value falls in: itself without bins; the bin's name; `(other)` outside all bins;
/// `(unknown)` without a value or when bins need a number and it is none.
[[nodiscard]] std::string slice_of(const std::string* value, const std::vector<Bin>& bins);
/// The slice of a relevant document of a query (By::document and By::age).
[[nodiscard]] std::string slice_of(const Slicing& slicing, std::string_view query, std::string_view document);

/// Orders slice names for a table: bins as given, numbers rising, names by falling size then name; `(other)`
/// and
/// `(unknown)` last.
void order_slices(std::vector<std::pair<std::string, std::size_t>>& slices, const std::vector<Bin>& bins);

}  // namespace mustcite::evaluate
