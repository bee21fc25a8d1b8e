#include "core/net/download.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <random>
#include <thread>

#include "core/base/error.hpp"
#include "core/base/hash.hpp"
#include "core/base/threads.hpp"
#include "core/net/http_get.hpp"
#include "core/net/part_file.hpp"

namespace mustcite::net {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr std::uint64_t kRealProgressBytes = std::uint64_t{1} << 20;

/// The address without a password it may carry: what messages show.
std::string shown(const std::string& url) {
  const auto host = url.find("://");
  const auto at = url.find('@', host == std::string::npos ? 0 : host + 3);
  if (host == std::string::npos || at == std::string::npos || at > url.find('/', host + 3)) return url;
  return url.substr(0, host + 3) + "…" + url.substr(at);
}

void sleep_through(milliseconds pause) {
  const auto end = std::chrono::steady_clock::now() + pause;
  while (std::chrono::steady_clock::now() < end) {
    stop_if_interrupted();
    std::this_thread::sleep_for(milliseconds(50));
  }
}

[[noreturn]] void fail_too_large(const std::string& source, std::uint64_t max_bytes) {
  fail(ErrorCode::invalid_input,
       "{} is larger than {} bytes, the most that is fetched; raise http.max_bytes if it should "
       "be",
       shown(source), max_bytes);
}

/// Local files: copied, so that the destination is ours and appears at once.
void copy_file(const fs::path& from, PartFile& part, const DownloadOptions& options, Progress& progress) {
  std::error_code error;
  if (!fs::is_regular_file(from, error)) {
    fail(ErrorCode::not_found, "there is no file {}; check the name", from.string());
  }
  if (fs::file_size(from, error) > options.max_bytes) fail_too_large(from.string(), options.max_bytes);
  part.clear();
  progress.begin("copy", fs::file_size(from, error));
  // Its bytes as they are: compressed files stay compressed.
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> in(std::fopen(from.c_str(), "rb"), &std::fclose);
  if (in == nullptr) fail(ErrorCode::unavailable, "cannot read {}; check its permissions", from.string());
  std::string buffer(std::size_t{1} << 20, '\0');
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), in.get())) {
    stop_if_interrupted();
    part.append(std::string_view(buffer).substr(0, got));
    progress.advance(got);
  }
  if (std::ferror(in.get()) != 0)
    fail(ErrorCode::unavailable, "cannot read {} to its end; check the disk", from.string());
  progress.finish();
}

/// One address over http: attempts until the part file is complete.
class HttpDownload {
 public:
  HttpDownload(const std::string& url, PartFile& part, const DownloadOptions& options, Progress& progress)
      : url_(url), part_(part), options_(options), progress_(progress) {}

  void run() {
    int fruitless = 0;
    for (;;) {
      const std::uint64_t before = part_.size();
      const HttpResult result = attempt();
      if (result.end == HttpEnd::complete && is_success(result.head.status)) break;
      require_passing(result);
      const bool advanced = part_.size() >= before + kRealProgressBytes;
      fruitless = advanced ? 0 : fruitless + 1;
      if (fruitless > options_.retries) {
        fail(ErrorCode::unavailable,
             "cannot fetch {}: {} ({} attempts); try again later, what has come is kept", shown(url_),
             problem(result), attempts_);
      }
      pause(result, fruitless);
    }
    if (begun_) progress_.finish();
  }

  [[nodiscard]] int attempts() const { return attempts_; }
  [[nodiscard]] std::uint64_t resumed_from() const { return resumed_from_; }

 private:
  static bool is_success(long status) { return status == 200 || status == 206; }

  static std::string problem(const HttpResult& result) {
    return result.end == HttpEnd::complete ? fmt::format("the server answered {}", result.head.status)
                                           : result.problem;
  }

  HttpResult attempt() {
    stop_if_interrupted();
    ++attempts_;
    std::string validator = part_.validator(url_);
    // Without proof that it is the same file only the digest, checked at the end, makes it safe to go on.
    if (part_.size() > 0 && validator.empty() && options_.sha256.empty()) part_.clear();
    const HttpRequest request{
        url_,           part_.size(),       std::move(validator), options_.timeout, options_.user_agent, options_.headers,
        options_.guard, options_.follows_to};
    auto result = http_get(
        request, [&](const HttpHead& head) { accept(head); }, [&](std::string_view bytes) { keep(bytes); });
    if (result.end == HttpEnd::complete && result.head.status == 416) {
      part_.clear();  // the file shrank or was complete already: only a fresh start can tell
      result.end = HttpEnd::passing;
      result.problem = "the server refuses to go on from the bytes fetched before";
    }
    return result;
  }

  /// Decides where the body that follows belongs.
  void accept(const HttpHead& head) {
    const std::uint64_t had = part_.size();
    const bool goes_on = head.status == 206 && had > 0;
    if (head.status == 206 && head.range_begin != had) {
      fail(ErrorCode::unavailable,
           "cannot fetch {}: the server sends another part than the one asked for; delete {} and "
           "try again",
           shown(url_), part_.path().string());
    }
    if (!goes_on && had > 0) part_.clear();
    if (head.length && *head.length + part_.size() > options_.max_bytes)
      fail_too_large(url_, options_.max_bytes);
    if (!goes_on) part_.note(url_, head.validator);
    if (!first_done_) resumed_from_ = part_.size();
    first_done_ = true;
    if (!begun_ || !goes_on) {
      progress_.begin("download", head.length ? *head.length + part_.size() : 0);
      progress_.advance(part_.size());
      begun_ = true;
    }
  }

  void keep(std::string_view bytes) {
    if (part_.size() + bytes.size() > options_.max_bytes) {
      part_.clear();
      fail_too_large(url_, options_.max_bytes);
    }
    part_.append(bytes);
    progress_.advance(bytes.size());
  }

  void require_passing(const HttpResult& result) const {
    const long status = result.head.status;
    if (result.end == HttpEnd::permanent) {
      fail(ErrorCode::unavailable, "cannot fetch {}: {}; check the address", shown(url_), result.problem);
    }
    if (result.end == HttpEnd::passing) return;
    if (status == 404 || status == 410) {
      fail(ErrorCode::not_found, "there is nothing at {} (the server answered {}); check the address",
           shown(url_), status);
    }
    const bool passing = status == 408 || status == 425 || status == 429 || status == 500 || status == 502 ||
                         status == 503 || status == 504;
    if (!passing) {
      fail(ErrorCode::unavailable,
           "cannot fetch {}: the server answered {}; check the address and your rights", shown(url_), status);
    }
  }

  void pause(const HttpResult& result, int fruitless) {
    milliseconds wait = options_.first_pause * (1 << std::clamp(fruitless - 1, 0, 10));
    wait = std::min(wait, options_.longest_pause);
    // Half to the whole of it, so that many clients do not come back together.
    std::uniform_real_distribution<double> jitter(0.5, 1.0);
    wait = milliseconds(static_cast<milliseconds::rep>(static_cast<double>(wait.count()) * jitter(random_)));
    if (result.retry_after > options_.longest_pause) {
      fail(ErrorCode::unavailable, "cannot fetch {}: {} and asks to come back in {} s; try again then",
           shown(url_), problem(result), result.retry_after.count());
    }
    wait = std::max<milliseconds>(wait, result.retry_after);
    if (options_.pause) {
      options_.pause(wait);
    } else {
      sleep_through(wait);
    }
  }

  const std::string& url_;
  PartFile& part_;
  const DownloadOptions& options_;
  Progress& progress_;
  std::minstd_rand random_{std::random_device{}()};
  int attempts_ = 0;
  std::uint64_t resumed_from_ = 0;
  bool first_done_ = false;
  bool begun_ = false;
};

/// The path that `source` means, unless it is an address of the network.
std::optional<fs::path> local_path(const std::string& source) {
  const auto scheme = source.find("://");
  if (scheme == std::string::npos) return fs::path(source);
  if (source.starts_with("file://")) return fs::path(source.substr(7));
  if (source.starts_with("http://") || source.starts_with("https://")) return std::nullopt;
  fail(ErrorCode::invalid_input,
       "cannot fetch {}: only http, https and file addresses and paths are understood", shown(source));
}

}  // namespace

Downloaded download(const std::string& source, const fs::path& destination, const DownloadOptions& options,
                    Progress& progress) {
  const auto local = local_path(source);
  std::error_code error;
  if (!options.sha256.empty() && fs::is_regular_file(destination, error) &&
      sha256_file(destination) == options.sha256) {
    return {fs::file_size(destination), 0, 0, options.sha256};
  }
  Downloaded result;
  PartFile part(destination);
  // Bytes of an earlier call that turn out wrong deserve one fresh start.
  for (bool fresh = false;; fresh = true) {
    std::uint64_t resumed_from = 0;
    if (local) {
      copy_file(*local, part, options, progress);
    } else {
      HttpDownload http(source, part, options, progress);
      http.run();
      result.attempts += http.attempts();
      resumed_from = http.resumed_from();
    }
    result.sha256 = sha256_file(part.path());
    result.resumed_from = resumed_from;
    if (options.sha256.empty() || result.sha256 == options.sha256) break;
    part.clear();
    if (resumed_from > 0 && !fresh) continue;
    fail(ErrorCode::corrupt,
         "{} is not the file that was promised: its sha256 is {}, not {}; fetch it again or from "
         "another place",
         shown(source), result.sha256, options.sha256);
  }
  result.bytes = part.size();
  part.publish();
  return result;
}

}  // namespace mustcite::net
