#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/base/progress.hpp"
#include "core/net/guard.hpp"

/// Fetching files from the network: the only room that talks to it.
namespace mustcite::net {

struct DownloadOptions {
  /// A larger file is refused, whatever the server announces.
  std::uint64_t max_bytes = std::uint64_t{16} << 30;
  /// A connection that brings nothing for so long is given up (and tried again).
  std::chrono::seconds timeout{60};
  /// How often to try again when nothing came. An attempt that brought at least a mebibyte does not count.
  int retries = 5;
  /// The first pause between attempts; each further one is twice as long, up to `longest_pause`, with jitter.
  std::chrono::milliseconds first_pause{1000};
  /// A server that asks for a longer pause (Retry-After) ends the download.
  std::chrono::milliseconds longest_pause{120000};
  /// Lower-case hex; empty: any content is accepted.
  std::string sha256;
  std::string user_agent = "mustcite/0.1";
  std::vector<std::string> headers;  ///< "Name: value"; an Authorization goes to the first host alone
  Guard guard;
  /// Asked before a redirect is followed; empty: to every host.
  std::function<bool(const std::string& host)> follows_to;
  /// How a pause is spent; the default sleeps, and wakes up for Ctrl-C.
  std::function<void(std::chrono::milliseconds)> pause;
};

struct Downloaded {
  std::uint64_t bytes = 0;         ///< of the whole file
  std::uint64_t resumed_from = 0;  ///< bytes that an earlier call had fetched
  int attempts = 0;                ///< requests sent; 0 for a local file or one that was there already
  std::string sha256;
};

/// Fetches `source` (http, https or file address, or a path) to `destination`, which appears complete or not
/// at all. Until then the bytes lie in `destination` + ".part"; a later call goes on from there, provided the
/// server can prove that the file is still the same one, or a digest is given. A destination with the wanted
/// digest is left as it is. Throws not_found (404, no such file), unavailable (network, server, other
/// download running), corrupt (wrong digest), invalid_input (no such kind of address, too large), exhausted
/// (disk full), interrupted.
Downloaded download(const std::string& source, const std::filesystem::path& destination,
                    const DownloadOptions& options, Progress& progress);

}  // namespace mustcite::net
