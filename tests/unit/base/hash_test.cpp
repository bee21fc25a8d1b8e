#include "core/base/hash.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "core/base/error.hpp"
#include "testing/error_code.hpp"
#include "testing/temp_folder.hpp"

namespace mustcite {
namespace {

// Vectors of FIPS 180-2.
constexpr const char* kEmpty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
constexpr const char* kAbc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
constexpr const char* kMillionA = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";

TEST(Sha256, MatchesThePublishedVectors) {
  EXPECT_EQ(sha256_hex(""), kEmpty);
  EXPECT_EQ(sha256_hex("abc"), kAbc);
  EXPECT_EQ(sha256_hex(std::string(1000000, 'a')), kMillionA);
}

TEST(Sha256, DoesNotDependOnTheChunks) {
  Sha256 sha;
  for (int i = 0; i < 1000; ++i) sha.update(std::string(1000, 'a'));
  EXPECT_EQ(sha.hex(), kMillionA);
}

TEST(Sha256, ReadsFilesOfSeveralBuffers) {
  const testing::TempFolder scratch;
  std::ofstream(scratch / "million") << std::string(1000000, 'a');
  EXPECT_EQ(sha256_file(scratch / "million"), kMillionA);
  // sha256sum of 3 MiB of zero bytes.
  std::ofstream(scratch / "zeros") << std::string(3 << 20, '\0');
  EXPECT_EQ(sha256_file(scratch / "zeros"),
            "bbd05cf6097ac9b1f89ea29d2542c1b7b67ee46848393895f5a9e43fa1f621e5");
  EXPECT_EQ(testing::code_of([&] { static_cast<void>(sha256_file(scratch / "none")); }),
            ErrorCode::not_found);
}

TEST(Checksum64, MatchesThePublishedVectorAndSeesOneBit) {
  // XXH3_64bits of no bytes, seed 0, from the xxHash specification.
  EXPECT_EQ(checksum64({}), 0x2d06800538d394c2ULL);
  std::string bytes(1000, 'x');
  const auto before = checksum64(std::as_bytes(std::span(bytes)));
  bytes[500] ^= 1;
  EXPECT_NE(checksum64(std::as_bytes(std::span(bytes))), before);
}

}  // namespace
}  // namespace mustcite
