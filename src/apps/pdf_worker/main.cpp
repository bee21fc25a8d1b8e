// mustcite-pdf: reads PDF files for mustcite, one request after another, in a sandbox. It takes the files
// themselves and answers with words and places (core/pdf/protocol.hpp) on descriptor 0. It is started by
// mustcite, not by people.
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "apps/pdf_worker/poppler_reader.hpp"
#include "apps/pdf_worker/sandbox.hpp"
#include "core/base/error.hpp"
#include "core/pdf/protocol.hpp"

namespace {

using namespace mustcite;

constexpr int kChannel = 0;

/// False at the end of the channel or when it fails.
bool read_exactly(char* out, std::size_t size) {
  while (size > 0) {
    const ssize_t got = ::read(kChannel, out, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    out += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

bool write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(kChannel, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

bool answer(std::uint32_t id, pdf::FrameKind kind, const std::string& payload) {
  return write_all(pdf::encode_header({kind, id, payload.size()})) && write_all(payload);
}

bool serve_one(std::uint32_t id, const std::string& request) {
  if (request.size() < pdf::kLimitsBytes) return false;
  const pdf::Limits limits = pdf::decode_limits(std::string_view(request).substr(0, pdf::kLimitsBytes));
  pdf_worker::grant_processor_time(limits.cpu_seconds);
  try {
    const auto content =
        pdf_worker::read_content(std::string_view(request).substr(pdf::kLimitsBytes), limits);
    const std::string payload = pdf::encode_content(content);
    if (payload.size() > pdf::kMaxAnswerBytes)
      throw pdf_worker::Refused(pdf::Refusal::too_much_text, "its text is too large");
    return answer(id, pdf::FrameKind::content, payload);
  } catch (const pdf_worker::Refused& refused) {
    return answer(id, pdf::FrameKind::refused, pdf::encode_refusal({refused.refusal(), refused.what()}));
  } catch (const std::exception& error) {
    return answer(id, pdf::FrameKind::refused, pdf::encode_refusal({pdf::Refusal::failed, error.what()}));
  }
}

int serve() {
  std::string header(pdf::kHeaderBytes, '\0');
  std::string request;
  while (read_exactly(header.data(), header.size())) {
    const pdf::FrameHeader frame = pdf::decode_header(header, pdf::kMaxFileBytes + pdf::kLimitsBytes);
    if (frame.kind != pdf::FrameKind::read) return 1;
    request.resize(frame.payload_bytes);
    if (!read_exactly(request.data(), request.size()) || !serve_one(frame.id, request)) return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 || std::strcmp(argv[1], "--serve") != 0) {
    std::fputs("mustcite-pdf reads PDF files for mustcite and is started by it; run: mustcite extract FILE\n",
               stderr);
    return 2;
  }
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::signal(SIGPIPE, SIG_IGN);
  const auto max_memory = std::strtoull(argv[2], nullptr, 10);
  pdf_worker::warm_up();
  if (!pdf_worker::enter_sandbox(max_memory)) {
    std::fputs("mustcite-pdf: the kernel refuses the sandbox; no file is read without it\n", stderr);
    return 3;
  }
  try {
    return serve();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "mustcite-pdf: %s\n", error.what());
    return 1;
  }
}
