#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace mustcite::extract {

struct NougatOptions {
  /// The program and what stands before the files: {"nougat", "--no-skipping"}. It is called as
  /// `PROGRAM ARGS… FILE… --out FOLDER` and writes FOLDER/STEM.mmd for each file.
  std::vector<std::string> command{"nougat"};
  /// Where finished markup is kept, by the PDF's content: later runs take it from there.
  std::filesystem::path cache;
  /// Files given to one call. Loading the model costs more than a short paper.
  std::size_t batch = 16;
  /// Of one file; a call may take this long for each of its files.
  std::chrono::seconds timeout{900};
};

/// What became of one PDF.
struct NougatResult {
  std::filesystem::path markup;  ///< in the cache; empty: a gap
  std::string reason;            ///< why there is none
  bool resumed = false;          ///< it was in the cache already
};

/// Runs the command over the PDFs in batches. A file without output after its batch is given to the command
/// once more, alone, so that a file that kills it costs itself only; then it is a gap, with the reason. What
/// a killed call wrote last may be cut and is made again. The results are in the order of the files. Throws
/// not_found when the program cannot be started, interrupted (its call is ended; what is finished stays in
/// the cache).
[[nodiscard]] std::vector<NougatResult> run_nougat(const std::vector<std::filesystem::path>& files,
                                                   const NougatOptions& options);

}  // namespace mustcite::extract
