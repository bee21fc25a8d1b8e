#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mustcite::net {

/// What an answer should hold. Servers say 200 to much that is no success.
enum class Expect { html, json, xml, text };

/// The plain bytes of a gzip stream that was sent without saying so; `bytes` itself when it is none. Nothing
/// when it is damaged or larger than `max_bytes`.
[[nodiscard]] std::optional<std::string> undo_hidden_gzip(std::string bytes, std::uint64_t max_bytes);

/// True for pages that test whether a person is there ("Verifying your browser", "Just a moment…").
[[nodiscard]] bool is_challenge(std::string_view body);

/// Why the body of a 200 is not what was asked for: empty, another kind of content. Nothing when it looks
/// right. `type` is the Content-Type.
[[nodiscard]] std::optional<std::string> wrong_content(Expect expect, std::string_view type,
                                                       std::string_view body);

}  // namespace mustcite::net
