#pragma once

#include "apps/audit/read_draft.hpp"
#include "apps/cli/context.hpp"
#include "stages/extract/document.hpp"

namespace mustcite::cli {

/// An extracted paper as a draft to audit: its printed list is the bibliography, its located mentions are the
/// citations. Entries are called by their label ("12"), else by name and year ("Kingma 2015", with a letter
/// where two are alike); works of an entry that lists several are entries of their own. Places are pages.
[[nodiscard]] audit::Draft draft_of(const extract::Document& document);

/// Reads PDF drafts with the native reader. Throws invalid_input for files without usable text (scans,
/// unreadable encodings) and what extract::read_pdf throws.
[[nodiscard]] audit::PdfReader pdf_draft_reader(const Context& context);

}  // namespace mustcite::cli
