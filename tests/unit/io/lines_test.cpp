#include "core/io/lines.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <zlib.h>
#include <zstd.h>

#include <fstream>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "testing/child.hpp"
#include "testing/error_code.hpp"
#include "testing/temp_folder.hpp"

namespace mustcite::io {
namespace {

using testing::code_of;
using testing::TempFolder;

std::filesystem::path write(const TempFolder& scratch, const std::string& bytes) {
  std::ofstream(scratch / "file", std::ios::binary) << bytes;
  return scratch / "file";
}

std::string zstd(const std::string& text, bool with_checksum = false) {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, with_checksum ? 1 : 0);
  std::string frame(ZSTD_compressBound(text.size()), '\0');
  frame.resize(ZSTD_compress2(context, frame.data(), frame.size(), text.data(), text.size()));
  ZSTD_freeCCtx(context);
  return frame;
}

std::string gzip(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string member(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(member.data());
  stream.avail_out = static_cast<uInt>(member.size());
  deflate(&stream, Z_FINISH);
  member.resize(stream.total_out);
  deflateEnd(&stream);
  return member;
}

std::string read_all(const std::filesystem::path& file, std::size_t step) {
  const auto reader = open_reader(file);
  std::string all;
  std::string buffer(step, '\0');
  while (const std::size_t got = reader->read(buffer.data(), step)) all.append(buffer, 0, got);
  return all;
}

std::vector<std::string> lines(const std::filesystem::path& file) {
  LineReader reader(file);
  std::vector<std::string> all;
  std::string_view line;
  while (reader.next(line)) all.emplace_back(line);
  return all;
}

std::string numbered_lines(int count) {
  std::string text;
  for (int i = 0; i < count; ++i)
    text += "line " + std::to_string(i) + std::string(static_cast<std::size_t>(i % 97), '.') + "\n";
  return text;
}

TEST(ByteReader, ReadsPlainGzipAndZstdInStepsOfAnySize) {
  const TempFolder scratch;
  const std::string text = numbered_lines(10000);
  for (const auto& bytes : {text, gzip(text), zstd(text), zstd(text, true)}) {
    const auto file = write(scratch, bytes);
    for (const std::size_t step : {1U, 10U, 4096U, 1U << 20}) EXPECT_EQ(read_all(file, step), text) << step;
  }
}

TEST(ByteReader, ReadsSeveralMembersAndFrames) {
  const TempFolder scratch;
  EXPECT_EQ(read_all(write(scratch, gzip("one\n") + gzip("two\n")), 4096), "one\ntwo\n");
  EXPECT_EQ(read_all(write(scratch, zstd("one\n") + zstd("two\n")), 4096), "one\ntwo\n");
}

TEST(ByteReader, RefusesTruncatedAndDamagedStreams) {
  const TempFolder scratch;
  const std::string text = numbered_lines(5000);
  for (const auto& bytes : {gzip(text), zstd(text), zstd(text, true)}) {
    for (const std::size_t kept : {std::size_t{5}, bytes.size() / 2, bytes.size() - 1}) {
      const auto file = write(scratch, bytes.substr(0, kept));
      EXPECT_EQ(code_of([&] { read_all(file, 4096); }), ErrorCode::invalid_input) << kept;
    }
  }
  for (std::string bytes : {gzip(text), zstd(text, true)}) {
    bytes[bytes.size() / 2] ^= 0x55;
    const auto file = write(scratch, bytes);
    EXPECT_EQ(code_of([&] { read_all(file, 4096); }), ErrorCode::invalid_input);
  }
}

TEST(ByteReader, RefusesAFrameThatAsksForAHugeWindow) {
  const TempFolder scratch;
  // Magic, a descriptor without content size, window exponent 31 (2^41 bytes).
  const auto file = write(scratch, std::string("\x28\xb5\x2f\xfd\x00\xf8", 6) + std::string(100, '\0'));
  EXPECT_EQ(code_of([&] { read_all(file, 4096); }), ErrorCode::invalid_input);
}

TEST(ByteReader, SaysWhichFileIsMissing) {
  EXPECT_EQ(code_of([] { static_cast<void>(open_reader("no-such-file")); }), ErrorCode::not_found);
  const TempFolder scratch;
  EXPECT_EQ(code_of([&] { read_all(scratch.path(), 10); }), ErrorCode::invalid_input) << "a folder";
}

TEST(LineReader, SplitsLfAndCrlfAndKeepsALastLineWithoutEnd) {
  const TempFolder scratch;
  EXPECT_EQ(lines(write(scratch, "a\nb\r\n\n\r\nc\rd\nlast")),
            (std::vector<std::string>{"a", "b", "", "", "c\rd", "last"}));
  EXPECT_EQ(lines(write(scratch, "")), std::vector<std::string>{});
  EXPECT_EQ(lines(write(scratch, "\n")), std::vector<std::string>{""});
  EXPECT_EQ(lines(write(scratch, std::string("a\0b\n", 4))),
            std::vector<std::string>{std::string("a\0b", 3)});
}

TEST(LineReader, CountsLinesAcrossBuffers) {
  const TempFolder scratch;
  LineReader reader(write(scratch, zstd(numbered_lines(50000))));
  std::string_view line;
  std::uint64_t count = 0;
  while (reader.next(line)) {
    EXPECT_TRUE(line.starts_with("line " + std::to_string(count)));
    EXPECT_EQ(reader.line_number(), ++count);
  }
  EXPECT_EQ(count, 50000U);
}

TEST(LineReader, KeepsOnlyTheHeadOfAnOverlongLineAndGoesOn) {
  const TempFolder scratch;
  for (const std::size_t size : {101U, 300000U, 3000000U}) {
    LineReader reader(
        write(scratch, "first\n" + std::string(size, 'x') + "\nthird\n" + std::string(size, 'y')), 100);
    std::string_view line;
    ASSERT_TRUE(reader.next(line));
    EXPECT_EQ(line, "first");
    EXPECT_FALSE(reader.too_long());
    ASSERT_TRUE(reader.next(line));
    EXPECT_TRUE(reader.too_long());
    EXPECT_EQ(line, std::string(100, 'x'));
    EXPECT_EQ(reader.line_number(), 2U);
    ASSERT_TRUE(reader.next(line));
    EXPECT_EQ(line, "third");
    EXPECT_FALSE(reader.too_long());
    ASSERT_TRUE(reader.next(line));
    EXPECT_TRUE(reader.too_long());
    EXPECT_EQ(line, std::string(100, 'y'));
    EXPECT_FALSE(reader.next(line));
  }
}

TEST(LineReader, TakesALineOfExactlyTheLimitWhateverItsEnd) {
  const TempFolder scratch;
  LineReader reader(write(scratch, std::string(100, 'x') + "\r\n" + std::string(100, 'y') + "\n"), 100);
  std::string_view line;
  for (const char letter : {'x', 'y'}) {
    ASSERT_TRUE(reader.next(line));
    EXPECT_EQ(line, std::string(100, letter));
    EXPECT_FALSE(reader.too_long()) << letter;
  }
}

TEST(LineReader, ABombCostsTimeButNoMemory) {
  const TempFolder scratch;
  const std::string half_a_gigabyte = zstd(std::string(std::size_t{1} << 29, 'x'));
  ASSERT_LT(half_a_gigabyte.size(), 200000U);
  write(scratch, half_a_gigabyte);
  EXPECT_EQ(testing::in_child([&] {
              rusage before{};
              rusage after{};
              ::getrusage(RUSAGE_SELF, &before);
              LineReader reader(scratch / "file", 1 << 20);
              std::string_view line;
              if (!reader.next(line) || !reader.too_long()) return 1;
              ::getrusage(RUSAGE_SELF, &after);
              // In kilobytes. The parent's own peak (the text of the bomb) is inherited, so only growth
              // counts.
              return after.ru_maxrss - before.ru_maxrss < 64 * 1024 ? 0 : 2;
            }),
            0);
}

}  // namespace
}  // namespace mustcite::io
