#include "stages/extract/worker_pool.hpp"

#include <unistd.h>

#include <cstdlib>
#include <mutex>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/pdf/protocol.hpp"
#include "stages/extract/worker_process.hpp"

namespace mustcite::extract {
namespace {

constexpr const char* kProgram = "mustcite-pdf";

std::filesystem::path find_program() {
  namespace fs = std::filesystem;
  std::error_code ignored;
  std::vector<fs::path> places;
  if (const char* chosen = std::getenv("MUSTCITE_PDF_WORKER"); chosen != nullptr && *chosen != 0)
    places.emplace_back(chosen);
  const fs::path here = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  for (const char* folder : {".", "../bin", "../libexec/mustcite"})
    places.push_back(here / folder / kProgram);
  if (const char* path = std::getenv("PATH"); path != nullptr) {
    std::string_view rest(path);
    while (!rest.empty()) {
      const std::size_t colon = std::min(rest.find(':'), rest.size());
      if (colon > 0) places.push_back(fs::path(rest.substr(0, colon)) / kProgram);
      rest.remove_prefix(std::min(rest.size(), colon + 1));
    }
  }
  for (const auto& place : places) {
    if (::access(place.c_str(), X_OK) == 0) return place;
  }
  fail(ErrorCode::not_found,
       "reading PDF files needs the program {}, which is neither beside this one nor on the PATH; "
       "build it, or name it in MUSTCITE_PDF_WORKER",
       kProgram);
}

[[noreturn]] void refuse(const pdf::RefusedAnswer& answer, std::string_view name) {
  switch (answer.refusal) {
    case pdf::Refusal::not_pdf:
      fail(ErrorCode::invalid_input, "{}: this is no PDF file: {}; check where it comes from", name,
           answer.message);
    case pdf::Refusal::damaged:
      fail(ErrorCode::invalid_input, "{}: the PDF cannot be read: {}; get the file again", name,
           answer.message);
    case pdf::Refusal::encrypted:
      fail(ErrorCode::invalid_input, "{}: the PDF cannot be read: {}; remove the password first", name,
           answer.message);
    case pdf::Refusal::no_pages:
      fail(ErrorCode::invalid_input, "{}: the PDF cannot be used: {}; get the file again", name,
           answer.message);
    case pdf::Refusal::too_many_pages:
      fail(ErrorCode::exhausted, "{}: the PDF is refused: {}; raise extract.max_pages if it is one paper", name,
           answer.message);
    case pdf::Refusal::too_much_text:
      fail(ErrorCode::exhausted, "{}: the PDF is refused: {}; raise extract.max_words if it is one paper", name,
           answer.message);
    case pdf::Refusal::failed:
      break;
  }
  fail(ErrorCode::invalid_input, "{}: the PDF cannot be read: {}; try to save it anew with another program",
       name, answer.message);
}

}  // namespace

struct WorkerPool::Impl {
  WorkerOptions options;
  std::mutex mutex;
  std::vector<std::unique_ptr<WorkerProcess>> idle;
  WorkerCounts counts;

  std::unique_ptr<WorkerProcess> take() {
    {
      const std::lock_guard lock(mutex);
      if (!idle.empty()) {
        auto worker = std::move(idle.back());
        idle.pop_back();
        return worker;
      }
      ++counts.started;
    }
    return std::make_unique<WorkerProcess>(options.program, options.max_memory_bytes);
  }

  void give_back(std::unique_ptr<WorkerProcess> worker) {
    if (worker->files >= options.recycle_after) return;
    const std::lock_guard lock(mutex);
    idle.push_back(std::move(worker));
  }
};

WorkerPool::WorkerPool(WorkerOptions options) : impl_(std::make_unique<Impl>()) {
  if (options.program.empty()) options.program = find_program();
  if (::access(options.program.c_str(), X_OK) != 0) {
    fail(ErrorCode::not_found,
         "the PDF worker {} is not there or may not be run; build it or name another one",
         options.program.string());
  }
  impl_->options = std::move(options);
}

WorkerPool::~WorkerPool() = default;

pdf::Content WorkerPool::read(std::string_view file, std::string_view name) {
  if (file.size() > pdf::kMaxFileBytes) {
    fail(ErrorCode::exhausted, "{}: the PDF is refused: {} MB, more than {} MB", name, file.size() >> 20U,
         pdf::kMaxFileBytes >> 20U);
  }
  const WorkerOptions& options = impl_->options;
  const pdf::Limits limits{options.max_pages, options.max_words, options.cpu_seconds};
  {
    const std::lock_guard lock(impl_->mutex);
    ++impl_->counts.files;
  }
  std::string why;
  for (int attempt = 0; attempt < 2; ++attempt) {
    auto worker = impl_->take();
    auto answer = worker->ask(limits, file,
                              WorkerProcess::Clock::now() + std::chrono::milliseconds(options.timeout_ms));
    if (answer.end == WorkerProcess::End::none) {
      try {
        if (answer.kind == pdf::FrameKind::content) {
          pdf::Content content = pdf::decode_content(answer.payload);
          impl_->give_back(std::move(worker));
          return content;
        }
        const pdf::RefusedAnswer refused = pdf::decode_refusal(answer.payload);
        impl_->give_back(std::move(worker));
        refuse(refused, name);
      } catch (const Error& error) {
        if (error.code() != ErrorCode::corrupt) throw;
        answer.why = error.what();
      }
    }
    why = answer.why;
    const std::lock_guard lock(impl_->mutex);
    ++(attempt == 0 ? impl_->counts.retried : impl_->counts.lost);
  }
  fail(ErrorCode::exhausted,
       "{}: the PDF cost two workers and is given up: {}; the file may be a trap, or needs more time or "
       "memory",
       name, why);
}

WorkerCounts WorkerPool::counts() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->counts;
}

}  // namespace mustcite::extract
