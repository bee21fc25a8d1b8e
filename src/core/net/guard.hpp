#pragma once

#include <string>

namespace mustcite::net {

/// Where a transfer may lead.
struct Guard {
  /// Connections to loopback, private and reserved addresses are refused, whatever name leads there.
  bool public_only = false;
  /// "host:port" of a server that plays every host over plain http (a replay of recorded sites, a mirror):
  /// all requests go there, named after the host they are meant for. Its own address may be private.
  std::string gateway;
};

}  // namespace mustcite::net
