#pragma once

#include <string>

namespace mustcite::net {

/// True for an IP address (v4 or v6, as text) of the public internet. False for loopback, private,
/// link-local, carrier, multicast, documentation and other reserved ranges, for v4 addresses of these kinds
/// wrapped in v6, and for text that is no IP address. A page of the outside must not lead a crawler to the
/// inside.
[[nodiscard]] bool is_public_address(const std::string& ip);

}  // namespace mustcite::net
