#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mustcite::model {

/// A text as a model reads it: [CLS] a [SEP], or [CLS] a [SEP] b [SEP]. Nothing is padded, so every token
/// counts.
struct Encoding {
  std::vector<std::int32_t> ids;
  std::vector<std::int32_t> types;  ///< 0, and 1 for the second text of a pair; as long as `ids`
};

/// BERT's tokenizer: cleaning, lower-casing and stripping of accents as the model wants it, words and
/// punctuation, then WordPiece. The same ids as the `tokenizers` library for every text in UTF-8; bytes that
/// are no UTF-8 count as U+FFFD. A special token written in the text ("[SEP]") is that token. Immutable,
/// thread-safe.
class Tokenizer {
 public:
  /// Reads `tokenizer.json`, else `vocab.txt` with `tokenizer_config.json`. Throws not_found without a
  /// vocabulary, invalid_input for a damaged one or for a kind that is not read.
  static Tokenizer open(const std::filesystem::path& folder);
  /// From the text of a tokenizer.json; `where` names it in messages.
  static Tokenizer parse(std::string_view tokenizer_json, std::string_view where);
  Tokenizer(Tokenizer&&) noexcept;
  Tokenizer& operator=(Tokenizer&&) noexcept;
  ~Tokenizer();

  /// At most `max_length` ids, special ones included: the end of the text is cut. Work and memory follow
  /// `max_length`, not the text, once it is longer than that.
  [[nodiscard]] Encoding encode(std::string_view text, std::size_t max_length) const;
  /// A pair; the longer text gives way first, token by token ("longest first").
  [[nodiscard]] Encoding encode_pair(std::string_view a, std::string_view b, std::size_t max_length) const;
  /// The ids without special ones around them, at most `most`.
  [[nodiscard]] std::vector<std::int32_t> tokenize(std::string_view text, std::size_t most) const;

  [[nodiscard]] std::size_t vocab_size() const noexcept;  ///< largest id plus one
  [[nodiscard]] std::optional<std::int32_t> id(std::string_view token) const;
  /// Empty for ids that no token has.
  [[nodiscard]] std::string_view token(std::int32_t id) const;
  [[nodiscard]] std::int32_t cls() const noexcept;
  [[nodiscard]] std::int32_t sep() const noexcept;
  [[nodiscard]] std::int32_t pad() const noexcept;
  [[nodiscard]] std::int32_t unknown() const noexcept;
  [[nodiscard]] std::optional<std::int32_t> mask() const noexcept;

 private:
  struct Impl;
  explicit Tokenizer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace mustcite::model
