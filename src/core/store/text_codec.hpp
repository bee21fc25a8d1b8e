#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/schema/paper.hpp"

namespace mustcite::store {

/// Texts below this stay as they are: a zstd frame would hardly be smaller.
inline constexpr std::size_t kCompressFromBytes = 200;

/// Compresses and restores single texts (abstracts, contexts). Not thread-safe: it keeps its zstd contexts.
class TextCodec {
 public:
  TextCodec();
  ~TextCodec();

  /// The zstd frame of `text`; empty when the text is better kept as it is. Valid until the next call.
  [[nodiscard]] std::string_view compress(std::string_view text);
  /// Throws corrupt for anything but a frame made by `compress`.
  [[nodiscard]] std::string restore(std::string_view frame);

 private:
  struct Contexts;
  std::unique_ptr<Contexts> contexts_;
  std::string buffer_;
};

/// `["Given Family", …]`; empty for no names. Malformed UTF-8 becomes U+FFFD.
[[nodiscard]] std::string encode_names(const std::vector<std::string>& names);
[[nodiscard]] std::vector<std::string> decode_names(std::string_view json);

/// `[["section", "text"], …]`; empty for no contexts.
[[nodiscard]] std::string encode_contexts(const std::vector<CitationContext>& contexts);
[[nodiscard]] std::vector<CitationContext> decode_contexts(std::string_view json);

}  // namespace mustcite::store
