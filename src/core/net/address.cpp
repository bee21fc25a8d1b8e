#include "core/net/address.hpp"

#include <arpa/inet.h>

#include <array>
#include <cstdint>
#include <cstring>

namespace mustcite::net {
namespace {

struct Range4 {
  std::uint32_t network;
  int bits;
};

/// IANA's special-purpose registry (v4).
constexpr std::array<Range4, 16> kReserved4{{{0x00000000, 8},     // this network
                                             {0x0A000000, 8},     // private
                                             {0x64400000, 10},    // carrier-grade NAT
                                             {0x7F000000, 8},     // loopback
                                             {0xA9FE0000, 16},    // link-local, cloud metadata
                                             {0xAC100000, 12},    // private
                                             {0xC0000000, 24},    // protocol assignments
                                             {0xC0000200, 24},    // documentation
                                             {0xC0586300, 24},    // 6to4 relay
                                             {0xC0A80000, 16},    // private
                                             {0xC6120000, 15},    // benchmarking
                                             {0xC6336400, 24},    // documentation
                                             {0xCB007100, 24},    // documentation
                                             {0xE0000000, 4},     // multicast
                                             {0xF0000000, 4},     // reserved, broadcast
                                             {0xC01FC400, 24}}};  // AS112

bool is_public4(std::uint32_t address) {
  for (const Range4& range : kReserved4) {
    if ((address >> (32 - range.bits)) == (range.network >> (32 - range.bits))) return false;
  }
  return true;
}

std::uint32_t word(const std::array<unsigned char, 16>& bytes, std::size_t at) {
  return static_cast<std::uint32_t>(bytes[at]) << 24 | static_cast<std::uint32_t>(bytes[at + 1]) << 16 |
         static_cast<std::uint32_t>(bytes[at + 2]) << 8 | bytes[at + 3];
}

bool is_public6(const std::array<unsigned char, 16>& bytes) {
  const std::uint32_t first = word(bytes, 0);
  const bool zeros = first == 0 && word(bytes, 4) == 0;
  if (zeros && (word(bytes, 8) == 0x0000FFFF || word(bytes, 8) == 0)) {
    // Mapped or compatible v4; :: and ::1 are among them.
    return word(bytes, 12) > 0xFFFF && is_public4(word(bytes, 12));
  }
  if (first == 0x0064FF9B) return is_public4(word(bytes, 12));                         // NAT64
  if ((first >> 16) == 0x2002) return is_public4(first << 16 | word(bytes, 4) >> 16);  // 6to4
  if (first == 0x20010DB8 || (first >> 9) == (0x20010000U >> 9)) return false;  // documentation, special
  return (first >> 29) == 1;                                                    // 2000::/3 is the internet
}

}  // namespace

bool is_public_address(const std::string& ip) {
  in_addr v4{};
  if (inet_pton(AF_INET, ip.c_str(), &v4) == 1) return is_public4(ntohl(v4.s_addr));
  in6_addr v6{};
  if (inet_pton(AF_INET6, ip.c_str(), &v6) != 1) return false;
  std::array<unsigned char, 16> bytes{};
  std::memcpy(bytes.data(), &v6, bytes.size());
  return is_public6(bytes);
}

}  // namespace mustcite::net
