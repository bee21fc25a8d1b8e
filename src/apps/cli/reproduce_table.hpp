#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "apps/cli/context.hpp"

namespace mustcite::cli {

/// What `reproduce TABLE` is asked for.
struct TableFlags {
  std::string release;
  std::string split;
  std::string index;
  std::string data;
  std::string model;
  std::vector<std::string> methods;
  std::size_t sample = 0;
  std::size_t depth = 1000;
  std::size_t resamples = 1000;
  std::size_t permutations = 10000;
  std::string format = "terminal";
  std::string out;
  std::string check;
  bool renew = false;
  std::string work;
  double timeout_s = 0;  ///< 0: six hours a run
};

/// The file of a table: a `.toml` that has methods, or a name in `tables/` of the workspace or among those
/// that ship; nothing when the name is none of a table.
[[nodiscard]] std::optional<std::filesystem::path> table_file(const Context& context,
                                                              const std::string& name);

/// Names of the tables within reach, sorted.
[[nodiscard]] std::vector<std::string> table_names(const Context& context);

/// Makes the table and prints it; the exit code is 1 when a row failed, 4 when published values are missed, 5
/// when a check was asked for and nothing is comparable.
int run_table(Context& context, const std::filesystem::path& file, const TableFlags& flags);

/// Adds the options of tables to `reproduce`.
void add_table_options(CLI::App& verb, TableFlags& flags);

}  // namespace mustcite::cli
