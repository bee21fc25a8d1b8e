#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/reproduce/tables/digests.hpp"
#include "apps/reproduce/tables/table.hpp"
#include "core/io/file.hpp"

namespace mustcite::reproduce {

/// One run of one row: with `seed` when the row has seeds.
struct WantedRun {
  std::string name;  ///< of its files: `bm25`, `qpcr-seed2`
  const MethodDefinition* method = nullptr;
  std::string row;  ///< the row's name, `{each}` resolved
  std::optional<std::uint64_t> seed;
};

struct RunOutcome {
  std::filesystem::path file;
  bool reused = false;
  std::vector<Requirement> missing;  ///< not empty: nothing was run
  std::string problem;               ///< not empty: a step failed
};

/// The runs of a table in its work folder: `runs/NAME.trec`, each with `NAME.json`, the digests of everything
/// it was made from. A run is made again when one of them changes, and not otherwise.
class RunStore {
 public:
  /// Takes the folder for this release. Throws invalid_input when it holds other files or, without `renew`,
  /// the runs of another release, unavailable when another process works in it.
  RunStore(const TableDefinition& definition, const TableOptions& options, Collection& collection);

  /// The run, made now or before.
  [[nodiscard]] RunOutcome obtain(const WantedRun& wanted);
  /// Placeholders of a row, resolved.
  [[nodiscard]] Words words(const std::string& row, const std::optional<std::uint64_t>& seed) const;

 private:
  struct Key {
    std::string text;  ///< everything that decides the run, as JSON
    std::string digest;
  };
  void take_folder(const std::filesystem::path& queries);
  [[nodiscard]] Key key_of(const WantedRun& wanted, const Words& resolved);
  [[nodiscard]] bool is_current(const std::filesystem::path& run, const Key& key);
  [[nodiscard]] std::string make(const WantedRun& wanted, const Words& resolved) const;

  const TableDefinition& definition_;
  const TableOptions& options_;
  Collection& collection_;
  std::filesystem::path work_;
  std::unique_ptr<io::FileLock> lock_;
  std::unique_ptr<DigestCache> digests_;
};

}  // namespace mustcite::reproduce
