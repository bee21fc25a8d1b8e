#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/progress.hpp"
#include "stages/collect/collect.hpp"
#include "stages/collect/ledger.hpp"

namespace mustcite::collect {

/// What can be told of a PDF without reading it.
struct PdfFacts {
  std::uint64_t pages = 0;  ///< 0: not found out
  std::optional<std::string> problem;
};

/// Looks at header, size, end mark and page tree. A damaged page tree alone is no problem: readers repair it.
[[nodiscard]] PdfFacts check_pdf(const std::filesystem::path& file);

struct PdfOptions {
  std::filesystem::path folder;  ///< files become <sha256>.pdf in it
  std::uint64_t max_bytes = std::uint64_t{200} << 20;
};

/// wanted == there + downloaded + failed, always.
struct PdfReport {
  std::size_t wanted = 0;
  std::size_t there = 0;
  std::size_t downloaded = 0;
  std::size_t failed = 0;
  std::vector<Problem> problems;
};

/// Downloads the PDFs of the collected main papers of these editions, politely, resuming where a killed run
/// stopped. Each is checked, named by its content and noted in the ledger; what is no PDF is not kept.
PdfReport download_pdfs(Ledger& ledger, const Options& options, const PdfOptions& pdf_options,
                        Progress& progress);

}  // namespace mustcite::collect
