#include "apps/audit/read_draft.hpp"

#include <algorithm>
#include <system_error>

#include "apps/audit/bibliography.hpp"
#include "apps/audit/latex/reader.hpp"
#include "core/base/error.hpp"
#include "core/io/file.hpp"
#include "core/text/normalise.hpp"

namespace mustcite::audit {
namespace fs = std::filesystem;
namespace {

std::string lower_extension(const fs::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return extension;
}

Draft read_sources(const SourceTree& tree, const fs::path& path, const ReadOptions& options) {
  std::vector<Problem> notes;
  std::string main_file = options.main_file.empty() ? latex::find_main_file(tree, notes) : options.main_file;
  if (main_file.empty()) {
    // Without a LaTeX document, a folder may hold a single Markdown or text draft.
    std::vector<std::string> others;
    for (const auto& name : tree.files()) {
      if (name.ends_with(".md") || name.ends_with(".markdown")) others.push_back(name);
    }
    if (others.size() != 1) {
      fail(ErrorCode::not_found,
           "reading the draft {}: no .tex file with \\documentclass and \\begin{{document}} is in it; name the file to read", path.string());
    }
    main_file = others.front();
  }
  if (main_file.ends_with(".md") || main_file.ends_with(".markdown")) {
    std::string content;
    if (tree.read(main_file, content) != SourceTree::Found::yes) {
      fail(ErrorCode::not_found, "reading the draft {}: {} is not in it", path.string(), main_file);
    }
    return read_markdown(content, main_file, tree);
  }
  Draft draft = latex::read_latex(tree, main_file, options.limits);
  draft.problems.insert(draft.problems.end(), notes.begin(), notes.end());
  return draft;
}

Draft read_one(const fs::path& path, const ReadOptions& options) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    return read_sources(FolderTree(path, options.allow_outside, options.limits), path, options);
  }
  if (!fs::is_regular_file(path, error)) fail(ErrorCode::not_found, "reading the draft: there is no file {}", path.string());
  const std::string extension = lower_extension(path);
  if (extension == ".pdf") {
    if (options.pdf_reader) return options.pdf_reader(path);
    fail(ErrorCode::unavailable,
         "reading the draft {}: no reader of PDF files is connected; give the .tex sources, .md or .txt instead", path.string());
  }
  if (fs::file_size(path, error) > options.limits.file_bytes) {
    fail(ErrorCode::exhausted, "reading the draft {}: it is larger than {} MB; split it", path.string(), options.limits.file_bytes >> 20);
  }
  if (extension == ".zip") return read_sources(MemoryTree(read_zip(io::read_file(path, options.limits.file_bytes), options.limits)), path, options);
  const FolderTree beside(path.parent_path(), options.allow_outside, options.limits);
  const std::string name = path.filename().string();
  if (extension == ".tex" || extension == ".ltx") return latex::read_latex(beside, name, options.limits);
  std::string content = io::read_file(path, options.limits.file_bytes);
  if (!text::is_valid_utf8(content)) content = latin1_to_utf8(content);
  if (extension == ".md" || extension == ".markdown") return read_markdown(content, name, beside);
  if (extension == ".txt") return read_text(content, name);
  fail(ErrorCode::invalid_input, "reading the draft {}: this kind of file is not read; give .tex, a folder, .zip, .md, .txt or .pdf", path.string());
}

}  // namespace

Draft read_draft(const fs::path& path, const ReadOptions& options) {
  Draft draft = read_one(path, options);
  for (const fs::path& file : options.bibliographies) {
    const std::string content = io::read_file(file, options.limits.file_bytes);
    draft.files.push_back(file.string());
    if (lower_extension(file) == ".bbl") {
      read_bbl(content, file.string(), draft);
    } else {
      read_bib(content, file.string(), draft);
    }
  }
  if (!options.bibliographies.empty()) {
    std::erase_if(draft.problems, [](const Problem& p) { return p.what == "the draft has no bibliography"; });
  }
  return draft;
}

}  // namespace mustcite::audit
