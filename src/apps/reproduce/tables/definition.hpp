#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

/// Which rows, columns and judgements has a table of a paper? A TOML file says it; see
/// docs/formats/tables.md for its keys.
namespace mustcite::reproduce {

/// One kind of judgements.
struct TierDefinition {
  std::string name;   ///< "type1"
  std::string label;  ///< "Type I: experimental baseline"
  std::string qrels;  ///< the file
  /// Judgements in place of it where the file is missing or empty; always named as what they are.
  std::string stand_in;
  std::string stand_in_label;
  /// What `mask/<split>.tsv` of the release calls its unlabelled pairs; empty: it has no mask.
  std::string mask;
  /// Left out without a word when there is nothing to judge by.
  bool optional = false;
};

/// A file or folder that a method cannot do without.
struct Requirement {
  std::string path;
  std::string make;  ///< the command that makes it
};

/// One row, or with `each` one row for every folder below a folder.
struct MethodDefinition {
  std::string name;       ///< `--method`'s name
  std::string label;      ///< what the table calls it
  std::string group;      ///< "sparse", "dense", "graph", "ours"
  std::string published;  ///< its row in the published table; empty: it has none
  /// A folder: each folder in it that no other row names is a row, `{each}` its name.
  std::string each;
  /// Commands of this program, run one after another; the last one writes `{run}`.
  std::vector<std::vector<std::string>> steps;
  std::vector<Requirement> needs;
  /// Runs that are averaged, one for each seed; empty: one run.
  std::vector<std::uint64_t> seeds;
  /// The weights it starts from: texts, or `FILE:key` of a TOML or JSON file (`a.b` for nested keys); the
  /// first that says something counts.
  std::vector<std::string> weights;
  std::string note;  ///< stands below the table
};

struct TableDefinition {
  std::string name;  ///< the file's name without .toml
  std::string title;
  std::filesystem::path file;
  std::string metrics;   ///< columns, as `evaluate --metrics`
  std::string summary;   ///< the metric of the table over all tiers
  std::string baseline;  ///< the method that the others are tested against
  /// Metrics by K, one figure for each: "Recall@5,10,20".
  std::vector<std::string> curves;
  /// A file of queries in place of the release's: JSONL as `recommend --queries` reads it.
  std::string queries;
  std::vector<TierDefinition> tiers;
  std::vector<MethodDefinition> methods;
  /// The published values, a file beside this one; empty: there are none.
  std::filesystem::path published;
  std::vector<std::string> notes;
};

/// Placeholders that steps, needs, weights and qrels may use; `each` in rows with `each` alone, `seed` in
/// rows with seeds alone.
[[nodiscard]] const std::vector<std::string>& table_placeholders();

/// Reads a table. Throws invalid_input for broken TOML, unknown keys and placeholders, names that stand
/// twice, a baseline that is none of the rows, and metrics that `evaluate` does not know.
[[nodiscard]] TableDefinition load_table(const std::filesystem::path& file);

/// Whether a TOML file describes a table (it has `methods`) and not a claim.
[[nodiscard]] bool is_table(const std::filesystem::path& file);

}  // namespace mustcite::reproduce
