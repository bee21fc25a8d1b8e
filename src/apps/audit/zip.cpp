#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "apps/audit/source_tree.hpp"
#include "core/base/error.hpp"

namespace mustcite::audit {
namespace {

// Layout of the zip format: PKWARE's APPNOTE, sections 4.3.7 (local header), 4.3.12 (central header), 4.3.16 (end).
constexpr std::string_view kEndMark("PK\x05\x06", 4);
constexpr std::string_view kCentralMark("PK\x01\x02", 4);
constexpr std::string_view kLocalMark("PK\x03\x04", 4);
constexpr std::size_t kEndSize = 22;
constexpr std::size_t kCentralSize = 46;
constexpr std::size_t kLocalSize = 30;

struct Member {
  std::string name;
  std::uint32_t flags = 0;
  std::uint32_t method = 0;
  std::size_t packed = 0;
  std::size_t header = 0;
  std::uint32_t checksum = 0;
};

[[noreturn]] void damaged(const char* what) {
  fail(ErrorCode::invalid_input, "reading the zip archive: {}; pack the draft's folder again", what);
}

std::uint32_t u16(std::string_view bytes, std::size_t at) {
  return static_cast<unsigned char>(bytes[at]) | static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + 1])) << 8;
}

std::uint32_t u32(std::string_view bytes, std::size_t at) { return u16(bytes, at) | u16(bytes, at + 2) << 16; }

bool is_text_name(std::string_view name) {
  constexpr std::array<std::string_view, 9> kEndings{".tex", ".bib", ".bbl", ".md", ".txt", ".ltx", ".markdown", ".sty", ".cls"};
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return std::any_of(kEndings.begin(), kEndings.end(), [&](auto ending) {
    return lower.size() > ending.size() && std::string_view(lower).substr(lower.size() - ending.size()) == ending;
  });
}

std::vector<Member> central_directory(std::string_view archive, const ReadLimits& limits) {
  if (archive.size() < kEndSize) damaged("it is too short");
  // The comment behind the end record is at most 65,535 bytes.
  const std::size_t lowest = archive.size() > kEndSize + 65535 ? archive.size() - kEndSize - 65535 : 0;
  const std::size_t end = archive.rfind(kEndMark, archive.size() - kEndSize);
  if (end == std::string_view::npos || end < lowest) damaged("its directory is missing");
  const std::size_t count = u16(archive, end + 10);
  std::size_t at = u32(archive, end + 16);
  if (count == 0xffff || at == 0xffffffff) damaged("it is in the zip64 format, which is not read");
  if (count > limits.files) fail(ErrorCode::exhausted, "reading the zip archive: it has {} files, more than {}", count, limits.files);
  std::vector<Member> members;
  for (std::size_t i = 0; i < count; ++i) {
    if (at > archive.size() || archive.size() - at < kCentralSize || archive.substr(at, 4) != kCentralMark) {
      damaged("its directory is cut short");
    }
    const std::size_t name_size = u16(archive, at + 28);
    const std::size_t rest = u16(archive, at + 30) + u16(archive, at + 32);
    if (archive.size() - at - kCentralSize < name_size + rest) damaged("its directory is cut short");
    Member member;
    member.flags = u16(archive, at + 8);
    member.method = u16(archive, at + 10);
    member.checksum = u32(archive, at + 16);
    member.packed = u32(archive, at + 20);
    member.header = u32(archive, at + 42);
    member.name = std::string(archive.substr(at + kCentralSize, name_size));
    members.push_back(std::move(member));
    at += kCentralSize + name_size + rest;
  }
  return members;
}

std::string_view packed_bytes(std::string_view archive, const Member& member) {
  if (member.header > archive.size() || archive.size() - member.header < kLocalSize ||
      archive.substr(member.header, 4) != kLocalMark) {
    damaged("a file's header is missing");
  }
  const std::size_t begin =
      member.header + kLocalSize + u16(archive, member.header + 26) + u16(archive, member.header + 28);
  if (begin > archive.size() || archive.size() - begin < member.packed) damaged("a file is cut short");
  return archive.substr(begin, member.packed);
}

std::string inflate_raw(std::string_view packed, const std::string& name, std::size_t most) {
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) fail(ErrorCode::exhausted, "reading the zip archive: no memory");
  std::string result;
  std::array<char, 1 << 15> block{};
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  int status = Z_OK;
  while (status == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(block.data());
    stream.avail_out = static_cast<uInt>(block.size());
    status = inflate(&stream, Z_NO_FLUSH);
    const std::size_t got = block.size() - stream.avail_out;
    if (got > most - result.size()) {
      inflateEnd(&stream);
      fail(ErrorCode::exhausted, "reading the zip archive: {} unpacks to more than {} bytes", name, most);
    }
    result.append(block.data(), got);
    if (status == Z_OK && got == 0) break;
  }
  inflateEnd(&stream);
  if (status != Z_STREAM_END) damaged("a file's packed bytes are damaged");
  return result;
}

}  // namespace

std::map<std::string, std::string> read_zip(std::string_view archive, const ReadLimits& limits) {
  std::map<std::string, std::string> files;
  std::size_t left = limits.total_bytes;
  for (const Member& member : central_directory(archive, limits)) {
    if (member.name.empty() || member.name.back() == '/') continue;
    const std::string name = normal_path(member.name);
    if (name.empty()) {
      fail(ErrorCode::invalid_input, "reading the zip archive: the name \"{}\" leaves the folder; it is refused", member.name);
    }
    if (!is_text_name(name) || name.starts_with("__MACOSX/")) continue;
    if ((member.flags & 1U) != 0) fail(ErrorCode::invalid_input, "reading the zip archive: {} is encrypted", name);
    const std::string_view packed = packed_bytes(archive, member);
    const std::size_t most = std::min(left, limits.file_bytes);
    std::string content;
    if (member.method == 0) {
      if (packed.size() > most) fail(ErrorCode::exhausted, "reading the zip archive: {} is larger than {} bytes", name, most);
      content = std::string(packed);
    } else if (member.method == 8) {
      content = inflate_raw(packed, name, most);
    } else {
      fail(ErrorCode::invalid_input, "reading the zip archive: {} is packed by method {}; only deflate is read", name, member.method);
    }
    const auto sum = crc32(0, reinterpret_cast<const Bytef*>(content.data()), static_cast<uInt>(content.size()));
    if (sum != member.checksum) damaged("a file's checksum is wrong");
    left -= content.size();
    files[name] = std::move(content);
  }
  return files;
}

}  // namespace mustcite::audit
