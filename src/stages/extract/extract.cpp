#include "stages/extract/extract.hpp"

#include <algorithm>
#include <optional>

#include "core/base/error.hpp"
#include "core/base/hash.hpp"
#include "core/base/threads.hpp"
#include "core/io/file.hpp"
#include "core/pdf/protocol.hpp"

namespace mustcite::extract {
namespace {

/// What became of one file.
struct Slot {
  std::optional<Document> document;
  std::string reason;
};

void read_into(const std::filesystem::path& file, const Options& options, WorkerPool& pool, Slot& slot) {
  try {
    slot.document = read_pdf(file, options, pool);
  } catch (const Error& error) {
    // A worker that cannot be started concerns every file.
    if (error.code() == ErrorCode::unavailable || error.code() == ErrorCode::interrupted ||
        error.code() == ErrorCode::internal)
      throw;
    slot.reason = error.what();
  }
}

}  // namespace

Document read_pdf(const std::filesystem::path& path, const Options& options, WorkerPool& pool) {
  const std::string bytes = io::read_file(path, pdf::kMaxFileBytes);
  return read_pdf_bytes(bytes, path.filename().string(), options, pool);
}

Document read_pdf_bytes(std::string_view bytes, std::string_view name, const Options& options,
                        WorkerPool& pool) {
  Document document = read_content(pool.read(bytes, name), name, options);
  document.provenance.sha256 = sha256_hex(bytes);
  return document;
}

Report extract(const std::vector<std::filesystem::path>& files, const Options& options,
               const std::function<void(Document&&)>& visit, Progress& progress) {
  Report report;
  WorkerPool pool(options.worker);
  const std::size_t threads = options.threads == 0 ? available_cores() : options.threads;
  progress.begin("extract", files.size());
  // Blocks bound the documents held at once; within one the files are read in any order and handed on in the
  // given one.
  const std::size_t block = std::max<std::size_t>(threads * 8, 16);
  for (std::size_t from = 0; from < files.size(); from += block) {
    stop_if_interrupted();
    const std::size_t count = std::min(block, files.size() - from);
    std::vector<Slot> slots(count);
    parallel_for(count, threads, [&](std::size_t item, std::size_t) {
      stop_if_interrupted();
      read_into(files[from + item], options, pool, slots[item]);
    });
    for (std::size_t i = 0; i < count; ++i) {
      ++report.files;
      if (!slots[i].document) {
        ++report.rejected;
        report.ledger.push_back({files[from + i].string(), slots[i].reason});
        continue;
      }
      Document& document = *slots[i].document;
      ++report.read;
      report.pages += document.provenance.pages;
      report.references += document.references.size();
      report.mentions += document.mentions.size();
      for (const auto& problem : document.problems) {
        const bool nougat = problem.kind == ProblemKind::needs_nougat;
        if (!nougat && problem.kind != ProblemKind::no_references) continue;
        ++(nougat ? report.needs_nougat : report.without_references);
        report.ledger.push_back(
            {files[from + i].string(), std::string(problem_name(problem.kind)) + ": " + problem.message});
      }
      visit(std::move(document));
    }
    progress.advance(count);
  }
  progress.finish();
  report.workers = pool.counts();
  return report;
}

}  // namespace mustcite::extract
