#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/progress.hpp"
#include "stages/extract/document.hpp"
#include "stages/extract/reference_labels.hpp"
#include "stages/extract/worker_pool.hpp"

/// What does this paper cite, where and how often?
namespace mustcite::extract {

struct Options {
  /// Use link annotations, named destinations and the outline of the file. Without them print alone decides,
  /// as in files that carry none.
  bool link_annotations = true;
  /// Mentions below this are dropped. Raise it for fewer false ones.
  double min_confidence = 0.5;
  /// Reads the fields of the entries; without one rules do. Must outlive the call.
  const ReferenceLabeller* labeller = nullptr;
  /// Files read at once; 0: all cores.
  std::size_t threads = 0;
  WorkerOptions worker;
};

/// Reads one PDF. Throws what WorkerPool::read throws. A file without usable text gives a document with the
/// problem `needs_nougat` and nothing else; one without a reference list has the problem `no_references`.
[[nodiscard]] Document read_pdf(const std::filesystem::path& path, const Options& options, WorkerPool& pool);
/// The same from memory; `name` stands in messages.
[[nodiscard]] Document read_pdf_bytes(std::string_view bytes, std::string_view name, const Options& options,
                                      WorkerPool& pool);

/// From the worker's answer to the document: all of the reading, without processes and files.
[[nodiscard]] Document read_content(const pdf::Content& content, std::string_view name,
                                    const Options& options);

/// A file that gave no document, or one that cannot be used.
struct Rejected {
  std::string source;
  std::string reason;
};

/// read + rejected == files, always; needs_nougat and without_references are among the read ones.
struct Report {
  std::size_t files = 0;
  std::size_t read = 0;
  std::size_t rejected = 0;
  std::size_t needs_nougat = 0;
  std::size_t without_references = 0;
  std::size_t pages = 0;
  std::size_t references = 0;
  std::size_t mentions = 0;
  WorkerCounts workers;
  std::vector<Rejected> ledger;  ///< in the order of the files
};

/// Reads the files on several workers and hands every document to `visit` in the order given, one call at a
/// time. A file that cannot be read goes to the ledger. Stops with `interrupted` when the user asks for it.
Report extract(const std::vector<std::filesystem::path>& files, const Options& options,
               const std::function<void(Document&&)>& visit, Progress& progress);

}  // namespace mustcite::extract
