#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace mustcite {

/// Incremental SHA-256: digests of releases, snapshots and packs.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;

  void update(std::string_view bytes);
  /// Lower-case hex of everything given so far. Call once.
  [[nodiscard]] std::string hex();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

[[nodiscard]] std::string sha256_hex(std::string_view bytes);
/// Streams the file. Throws not_found when it cannot be read.
[[nodiscard]] std::string sha256_file(const std::filesystem::path& path);

/// 64-bit XXH3 of a block: fast enough to check a whole index whenever it is opened.
[[nodiscard]] std::uint64_t checksum64(std::span<const std::byte> bytes) noexcept;

}  // namespace mustcite
