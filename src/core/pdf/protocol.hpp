#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/pdf/content.hpp"

/// What the extractor and its PDF worker say to each other: frames of a fixed header and a payload,
/// little-endian. The worker reads hostile files, so its answers are treated as hostile: every count and
/// length is checked against the bytes that are there and against fixed bounds before anything is allocated.
namespace mustcite::pdf {

inline constexpr std::uint16_t kProtocolVersion = 1;
inline constexpr std::size_t kHeaderBytes = 20;
/// No answer is larger; a worker that announces more is stopped.
inline constexpr std::uint64_t kMaxAnswerBytes = std::uint64_t{256} << 20;
/// No PDF sent to a worker is larger.
inline constexpr std::uint64_t kMaxFileBytes = std::uint64_t{512} << 20;

enum class FrameKind : std::uint16_t { read = 1, content = 2, refused = 3 };

struct FrameHeader {
  FrameKind kind = FrameKind::read;
  std::uint32_t id = 0;  ///< of the request; the answer repeats it
  std::uint64_t payload_bytes = 0;
};

/// `kHeaderBytes` bytes: magic, version, kind, id, payload length.
[[nodiscard]] std::string encode_header(const FrameHeader& header);
/// Throws corrupt for a wrong magic, another version, an unknown kind or a payload above `max_payload`.
[[nodiscard]] FrameHeader decode_header(std::string_view bytes, std::uint64_t max_payload);

/// The request's payload is the limits, then the file itself.
inline constexpr std::size_t kLimitsBytes = 12;
[[nodiscard]] std::string encode_limits(const Limits& limits);
[[nodiscard]] Limits decode_limits(std::string_view bytes);

[[nodiscard]] std::string encode_content(const Content& content);
/// Throws corrupt when the payload is not exactly one well-formed content: wrong counts, text that is no
/// UTF-8, numbers that are not finite, an index out of range, bytes left over.
[[nodiscard]] Content decode_content(std::string_view payload);

struct RefusedAnswer {
  Refusal refusal = Refusal::failed;
  std::string message;
};
[[nodiscard]] std::string encode_refusal(const RefusedAnswer& answer);
[[nodiscard]] RefusedAnswer decode_refusal(std::string_view payload);

}  // namespace mustcite::pdf
