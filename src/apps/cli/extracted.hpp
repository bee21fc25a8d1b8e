#pragma once

#include <memory>

#include "apps/cli/context.hpp"
#include "stages/extract/document.hpp"
#include "stages/extract/reference_labels.hpp"
#include "stages/extract/worker_pool.hpp"
#include "stages/link/citing_paper.hpp"

/// Connects the stage `extract`, which reads papers, with those that use what it read.
namespace mustcite::cli {

/// The labeller of printed references: the workspace's `models/references`, else the one that ships; null,
/// with a warning, when there is none: rules read the fields then.
[[nodiscard]] std::unique_ptr<const extract::ReferenceLabeller> reference_labeller(const Context& context);

/// The limits of the settings `extract.max_pages` and `extract.max_words`.
[[nodiscard]] extract::WorkerOptions worker_options(const Context& context);

/// What the linker needs of an extracted paper: entries with their mentions, each with its window of three
/// sentences. The year of the paper is not printed in it: 0.
[[nodiscard]] link::CitingPaper citing_paper(const extract::Document& document);

/// The newest year of the reference list, up to next year's preprints: the paper is not older. 0: no year is
/// printed.
[[nodiscard]] int newest_reference_year(const extract::Document& document);

}  // namespace mustcite::cli
