#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace mustcite::net {

/// The parts of an http or https address.
struct Url {
  std::string scheme;  ///< "http" or "https"
  std::string host;    ///< lower case, without brackets
  int port = 0;        ///< the scheme's own when the address names none
  std::string path;    ///< begins with '/'
  std::string query;   ///< without '?'; empty when there is none

  /// Path and query as a server sees them.
  [[nodiscard]] std::string target() const;
  /// "host" or, for an unusual port, "host:port": what limits, robots.txt and the cache are kept by.
  [[nodiscard]] std::string authority() const;
  /// The whole address, without a fragment and without a password.
  [[nodiscard]] std::string text() const;
};

/// Nothing for other schemes, for addresses that name no host, and for malformed ones.
[[nodiscard]] std::optional<Url> parse_url(std::string_view text);

/// The address that `reference`, found on the page `base`, means; nothing when it is none over http or https
/// (mailto:, javascript:, malformed). Blanks around it go, inner ones are escaped, the fragment is dropped.
[[nodiscard]] std::optional<std::string> resolve(std::string_view base, std::string_view reference);

/// Text for a query: letters, digits and "-_.~" as they are, every other byte as %XX.
[[nodiscard]] std::string escaped(std::string_view text);

}  // namespace mustcite::net
