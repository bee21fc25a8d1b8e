#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/audit/draft.hpp"
#include "apps/audit/source_tree.hpp"

namespace mustcite::audit {

/// Turns a PDF into a draft: the program connects the extractor. Without one PDF drafts are refused.
using PdfReader = std::function<Draft(const std::filesystem::path& file)>;

struct ReadOptions {
  /// Files outside the draft's folder may be read by \input and \bibliography. Only for sources one trusts.
  bool allow_outside = false;
  /// The main file of a folder or an archive, relative to it; empty: found.
  std::string main_file;
  /// Further .bib or .bbl files.
  std::vector<std::filesystem::path> bibliographies;
  ReadLimits limits;
  PdfReader pdf_reader;
};

/// Reads a draft: a .tex file, a folder or a .zip of sources, .md, .txt, or .pdf with a reader. Broken content becomes
/// Draft::problems. Throws not_found when there is no such file or no main file in it, invalid_input for a kind of
/// file that is not read, exhausted when it is over the limits.
[[nodiscard]] Draft read_draft(const std::filesystem::path& path, const ReadOptions& options);

/// Markdown: front matter (title, abstract, bibliography), headings, pandoc citations (@key, [@a; @b]), LaTeX citation
/// commands, and numbered references ("[1] …" or "1. …" under a heading References) with [1], [2, 3], [4-6] in the text.
/// `tree` holds the files that front matter names.
[[nodiscard]] Draft read_markdown(std::string_view content, const std::string& file, const SourceTree& tree);

/// Plain text: the title in the first line, an empty line, then the text. A part headed "Abstract" is the abstract, else
/// the first paragraph is. A part headed "References" is read as in Markdown.
[[nodiscard]] Draft read_text(std::string_view content, const std::string& file);

}  // namespace mustcite::audit
