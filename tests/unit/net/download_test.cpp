#include "core/net/download.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

#include "core/base/error.hpp"
#include "core/base/hash.hpp"
#include "core/io/file.hpp"
#include "testing/child.hpp"
#include "testing/error_code.hpp"
#include "testing/temp_folder.hpp"
#include "unit/net/scripted_server.hpp"

namespace mustcite::net {
namespace {

using std::chrono::milliseconds;
using testing::code_of;
using testing::ScriptedServer;
using testing::TempFolder;

std::string content(std::size_t size = 3 << 20) {
  std::string bytes(size, '\0');
  std::uint32_t state = 1;
  for (char& byte : bytes) {
    state = state * 1664525 + 1013904223;
    byte = static_cast<char>(state >> 24);
  }
  return bytes;
}

std::string whole(const std::string& body, const std::string& headers = "") {
  return fmt::format("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n{}\r\n", body.size(), headers) + body;
}

std::string status(int code, const std::string& headers = "") {
  return fmt::format("HTTP/1.1 {} Status\r\nContent-Length: 4\r\n{}\r\nbody", code, headers);
}

/// The N of `Range: bytes=N-`; 0 without such a header.
std::size_t range_of(const std::string& request) {
  const auto at = request.find("Range: bytes=");
  return at == std::string::npos ? 0 : std::stoull(request.substr(at + 13));
}

std::string rest(const std::string& body, std::size_t from, const std::string& headers = "") {
  return fmt::format(
             "HTTP/1.1 206 Partial Content\r\nContent-Length: {}\r\nContent-Range: bytes {}-{}/{}\r\n{}\r\n",
             body.size() - from, from, body.size() - 1, body.size(), headers) +
         body.substr(from);
}

/// Keeps the pauses instead of waiting.
struct Pauses {
  std::vector<milliseconds> taken;
  DownloadOptions options() {
    DownloadOptions made;
    made.pause = [this](milliseconds pause) { taken.push_back(pause); };
    return made;
  }
};

Downloaded fetch(const std::string& source, const std::filesystem::path& to, const DownloadOptions& options) {
  SilentProgress progress;
  return download(source, to, options, progress);
}

TEST(Download, FetchesAFileAndLeavesNothingElse) {
  const TempFolder scratch;
  const auto body = content();
  const ScriptedServer server([&](const std::string&, std::size_t) { return whole(body); });
  Pauses pauses;
  auto options = pauses.options();
  options.sha256 = sha256_hex(body);
  const auto result = fetch(server.url(), scratch / "file", options);
  EXPECT_EQ(io::read_file(scratch / "file"), body);
  EXPECT_EQ(result.bytes, body.size());
  EXPECT_EQ(result.sha256, sha256_hex(body));
  EXPECT_EQ(result.attempts, 1);
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(scratch.path()))
    files += entry.is_regular_file() ? 1 : 0;
  EXPECT_EQ(files, 1U);
  EXPECT_EQ(fetch(server.url(), scratch / "file", options).attempts, 0)
      << "what is there already is not fetched";
}

TEST(Download, GoesOnAfterACutConnection) {
  const TempFolder scratch;
  const auto body = content();
  std::string if_range;
  const ScriptedServer server([&](const std::string& request, std::size_t number) {
    if (number == 0) return whole(body, "ETag: \"v1\"\r\n").substr(0, body.size() / 2);
    if_range = request;
    return rest(body, range_of(request), "ETag: \"v1\"\r\n");
  });
  Pauses pauses;
  const auto result = fetch(server.url(), scratch / "file", pauses.options());
  EXPECT_EQ(io::read_file(scratch / "file"), body);
  EXPECT_EQ(result.attempts, 2);
  EXPECT_GT(range_of(if_range), 1000000U);
  EXPECT_NE(if_range.find("If-Range: \"v1\""), std::string::npos);
}

TEST(Download, GoesOnInALaterCall) {
  const TempFolder scratch;
  const auto body = content();
  bool broken = true;
  const ScriptedServer server([&](const std::string& request, std::size_t) {
    if (range_of(request) > 0) return broken ? std::string{} : rest(body, range_of(request));
    return whole(body, "Last-Modified: Mon, 01 Jan 2024 00:00:00 GMT\r\n").substr(0, 1000000);
  });
  Pauses pauses;
  auto options = pauses.options();
  options.retries = 2;
  EXPECT_EQ(code_of([&] { fetch(server.url(), scratch / "file", options); }), ErrorCode::unavailable);
  EXPECT_FALSE(std::filesystem::exists(scratch / "file"));
  EXPECT_TRUE(std::filesystem::exists(scratch / "file.part"));
  broken = false;
  const auto result = fetch(server.url(), scratch / "file", options);
  EXPECT_GT(result.resumed_from, 900000U);
  EXPECT_EQ(io::read_file(scratch / "file"), body);
}

TEST(Download, StartsAgainWhenTheFileHasChanged) {
  const TempFolder scratch;
  const auto old_body = content();
  const std::string new_body(2000000, 'n');
  const ScriptedServer server([&](const std::string&, std::size_t number) {
    if (number == 0) return whole(old_body, "ETag: \"v1\"\r\n").substr(0, 1500000);
    return whole(new_body, "ETag: \"v2\"\r\n");  // If-Range does not hold: the whole file
  });
  Pauses pauses;
  fetch(server.url(), scratch / "file", pauses.options());
  EXPECT_EQ(io::read_file(scratch / "file"), new_body);
}

TEST(Download, CopesWithAServerThatIgnoresRanges) {
  const TempFolder scratch;
  const auto body = content();
  const ScriptedServer server([&](const std::string&, std::size_t number) {
    return whole(body, "ETag: \"v1\"\r\n").substr(0, number < 2 ? 1200000 * (number + 1) : std::string::npos);
  });
  Pauses pauses;
  EXPECT_EQ(fetch(server.url(), scratch / "file", pauses.options()).attempts, 3);
  EXPECT_EQ(io::read_file(scratch / "file"), body);
}

TEST(Download, NeverJoinsPartsWithoutProof) {
  const TempFolder scratch;
  const auto body = content();
  const ScriptedServer server([&](const std::string& request, std::size_t number) {
    EXPECT_EQ(range_of(request), 0U) << "no ETag, no date, no digest: nothing to go on from";
    return whole(body).substr(0, number == 0 ? 1500000 : std::string::npos);
  });
  Pauses pauses;
  fetch(server.url(), scratch / "file", pauses.options());
  EXPECT_EQ(io::read_file(scratch / "file"), body);
}

TEST(Download, RefusesAWrongDigestAndKeepsNothing) {
  const TempFolder scratch;
  const ScriptedServer server([&](const std::string&, std::size_t) { return whole("something else"); });
  Pauses pauses;
  auto options = pauses.options();
  options.sha256 = sha256_hex("what was promised");
  EXPECT_EQ(code_of([&] { fetch(server.url(), scratch / "file", options); }), ErrorCode::corrupt);
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path()));
}

TEST(Download, StartsFreshWhenBytesOfAnEarlierCallAreWrong) {
  const TempFolder scratch;
  const auto body = content();
  std::ofstream(scratch / "file.part", std::ios::binary) << std::string(1000, 'w');
  const ScriptedServer server([&](const std::string& request, std::size_t) {
    return range_of(request) > 0 ? rest(body, range_of(request)) : whole(body);
  });
  Pauses pauses;
  auto options = pauses.options();
  options.sha256 = sha256_hex(body);
  EXPECT_EQ(fetch(server.url(), scratch / "file", options).attempts, 2);
  EXPECT_EQ(io::read_file(scratch / "file"), body);
}

TEST(Download, TriesAgainAfterPassingAnswersAndHonoursRetryAfter) {
  const TempFolder scratch;
  const ScriptedServer server([&](const std::string&, std::size_t number) {
    if (number == 0) return status(503);
    if (number == 1) return status(429, "Retry-After: 17\r\n");
    return whole("at last");
  });
  Pauses pauses;
  EXPECT_EQ(fetch(server.url(), scratch / "file", pauses.options()).attempts, 3);
  EXPECT_EQ(io::read_file(scratch / "file"), "at last");
  ASSERT_EQ(pauses.taken.size(), 2U);
  EXPECT_GE(pauses.taken[0], milliseconds(500));
  EXPECT_LE(pauses.taken[0], milliseconds(1000));
  EXPECT_EQ(pauses.taken[1], milliseconds(17000));
}

TEST(Download, GivesUpAfterItsRetries) {
  const TempFolder scratch;
  const ScriptedServer server([&](const std::string&, std::size_t) { return status(503); });
  Pauses pauses;
  auto options = pauses.options();
  options.retries = 3;
  EXPECT_EQ(code_of([&] { fetch(server.url(), scratch / "file", options); }), ErrorCode::unavailable);
  EXPECT_EQ(server.requests(), 4U);
  options.longest_pause = milliseconds(1000);
  const ScriptedServer busy(
      [&](const std::string&, std::size_t) { return status(503, "Retry-After: 3600\r\n"); });
  EXPECT_EQ(code_of([&] { fetch(busy.url(), scratch / "file", options); }), ErrorCode::unavailable);
  EXPECT_EQ(busy.requests(), 1U) << "an hour is not waited for";
}

TEST(Download, DoesNotInsistOnWhatIsNotThere) {
  const TempFolder scratch;
  const ScriptedServer server([&](const std::string& request, std::size_t) {
    return status(request.starts_with("GET /gone") ? 404 : 403);
  });
  Pauses pauses;
  EXPECT_EQ(code_of([&] { fetch(server.url("/gone"), scratch / "file", pauses.options()); }),
            ErrorCode::not_found);
  EXPECT_EQ(code_of([&] { fetch(server.url("/mine"), scratch / "file", pauses.options()); }),
            ErrorCode::unavailable);
  EXPECT_EQ(server.requests(), 2U);
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path()));
}

TEST(Download, RefusesWhatIsTooLargeAnnouncedOrNot) {
  const TempFolder scratch;
  const auto body = content(100000);
  const ScriptedServer server([&](const std::string& request, std::size_t) {
    if (request.starts_with("GET /announced")) return whole(body);
    return "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + body;
  });
  Pauses pauses;
  auto options = pauses.options();
  options.max_bytes = 99999;
  for (const char* path : {"/announced", "/silent"}) {
    EXPECT_EQ(code_of([&] { fetch(server.url(path), scratch / "file", options); }), ErrorCode::invalid_input)
        << path;
  }
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path()));
  options.max_bytes = 100000;
  EXPECT_EQ(fetch(server.url("/announced"), scratch / "file", options).bytes, 100000U);
}

TEST(Download, FollowsRedirectsWithinHttpOnly) {
  const TempFolder scratch;
  std::ofstream(scratch / "secret") << "secret";
  const ScriptedServer server([&](const std::string& request, std::size_t) {
    if (request.starts_with("GET /moved"))
      return status(302, "Location: /file\r\nETag: \"of the redirect\"\r\n");
    if (request.starts_with("GET /loop")) return status(302, "Location: /loop\r\n");
    if (request.starts_with("GET /local")) {
      return status(302, "Location: file://" + (scratch / "secret").string() + "\r\n");
    }
    return whole("found");
  });
  Pauses pauses;
  fetch(server.url("/moved"), scratch / "file", pauses.options());
  EXPECT_EQ(io::read_file(scratch / "file"), "found");
  for (const char* path : {"/loop", "/local"}) {
    EXPECT_EQ(code_of([&] { fetch(server.url(path), scratch / "other", pauses.options()); }),
              ErrorCode::unavailable);
  }
  EXPECT_FALSE(std::filesystem::exists(scratch / "other"));
}

TEST(Download, TakesPathsAndFileAddresses) {
  const TempFolder scratch;
  std::ofstream(scratch / "from") << "local";
  Pauses pauses;
  fetch((scratch / "from").string(), scratch / "a", pauses.options());
  fetch("file://" + (scratch / "from").string(), scratch / "b", pauses.options());
  EXPECT_EQ(io::read_file(scratch / "a"), "local");
  EXPECT_EQ(io::read_file(scratch / "b"), "local");
  EXPECT_EQ(code_of([&] { fetch((scratch / "none").string(), scratch / "c", pauses.options()); }),
            ErrorCode::not_found);
  EXPECT_EQ(code_of([&] { fetch("ftp://127.0.0.1/x", scratch / "c", pauses.options()); }),
            ErrorCode::invalid_input);
  auto wrong = pauses.options();
  wrong.sha256 = sha256_hex("other");
  EXPECT_EQ(code_of([&] { fetch((scratch / "from").string(), scratch / "a", wrong); }), ErrorCode::corrupt);
  EXPECT_EQ(io::read_file(scratch / "a"), "local") << "a failed download leaves the old file";
}

TEST(Download, SaysWhenNobodyListens) {
  const TempFolder scratch;
  std::string url;
  {
    const ScriptedServer gone([](const std::string&, std::size_t) { return std::string{}; });
    url = gone.url();
  }
  Pauses pauses;
  auto options = pauses.options();
  options.retries = 1;
  EXPECT_EQ(code_of([&] { fetch(url, scratch / "file", options); }), ErrorCode::unavailable);
}

TEST(Download, KeepsWhatFitsOnAFullDisk) {
  const TempFolder scratch;
  const auto body = content();
  const ScriptedServer server([&](const std::string& request, std::size_t) {
    return range_of(request) > 0 ? rest(body, range_of(request)) : whole(body, "ETag: \"v1\"\r\n");
  });
  Pauses pauses;
  const auto options = pauses.options();
  EXPECT_EQ(testing::in_child([&] {
              testing::limit_file_size(1000000);
              fetch(server.url(), scratch / "file", options);
              return 0;
            }),
            testing::refusal(ErrorCode::exhausted));
  EXPECT_EQ(std::filesystem::file_size(scratch / "file.part"), 1000000U);
  EXPECT_EQ(fetch(server.url(), scratch / "file", options).resumed_from, 1000000U);
  EXPECT_EQ(io::read_file(scratch / "file"), body);
}

}  // namespace
}  // namespace mustcite::net
