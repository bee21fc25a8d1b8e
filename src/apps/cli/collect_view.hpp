#pragma once

#include "stages/collect/collect.hpp"
#include "stages/collect/ledger.hpp"
#include "stages/collect/pdfs.hpp"

namespace mustcite::cli {

/// What a run of collect did, on stdout.
void print_report(const collect::Report& report, bool as_json);

/// What has been collected so far, by venue and year, beside the table's counts.
void print_coverage(const collect::Ledger& ledger, bool as_json);

/// What became of the PDFs, on stderr when the answer is JSON.
void print_pdfs(const collect::PdfReport& report);

}  // namespace mustcite::cli
