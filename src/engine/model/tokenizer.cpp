#include "engine/model/tokenizer.hpp"

#include <algorithm>

#include "core/base/error.hpp"
#include "engine/model/tokenizer_setup.hpp"

namespace mustcite::model {
namespace {

constexpr std::size_t kAround = 2;  // [CLS] and [SEP]
constexpr std::size_t kAroundPair = 3;

/// Takes ids until there are enough. Those beyond are counted, when they are asked for.
class IdList {
 public:
  explicit IdList(std::size_t most) : most_(most) {}

  std::vector<std::int32_t>& pending() { return pending_; }
  void take_pending() {
    count_ += pending_.size();
    for (const std::int32_t id : pending_) {
      if (ids.size() < most_) ids.push_back(id);
    }
    pending_.clear();
  }
  [[nodiscard]] bool full() const { return ids.size() >= most_; }
  [[nodiscard]] std::size_t count() const { return count_; }

  std::vector<std::int32_t> ids;

 private:
  std::size_t most_;
  std::size_t count_ = 0;
  std::vector<std::int32_t> pending_;
};

void refuse_length(std::size_t max_length, std::size_t least) {
  if (max_length < least) {
    fail(ErrorCode::invalid_input, "cannot cut a text to {} tokens: its special tokens alone are {}",
         max_length, least);
  }
}

/// How many tokens of each text stay: the longer one gives way until both are equally long.
std::pair<std::size_t, std::size_t> longest_first(std::size_t a, std::size_t b, std::size_t most) {
  if (a + b <= most) return {a, b};
  const bool swapped = a > b;
  std::size_t shorter = std::min(a, b);
  std::size_t longer = shorter > most ? shorter : std::max(shorter, most - shorter);
  if (shorter + longer > most) {
    shorter = most / 2;
    longer = shorter + most % 2;
  }
  return swapped ? std::pair(longer, shorter) : std::pair(shorter, longer);
}

}  // namespace

struct Tokenizer::Impl {
  explicit Impl(TokenizerSetup from)
      : setup(std::move(from)),
        pieces(setup.vocabulary, setup.prefix, setup.unknown, setup.most_characters),
        raw(only(setup.added, false)),
        normalised(normalised_tokens()) {
    for (const auto& [token, id] : setup.vocabulary) keep_name(token, id);
    for (const AddedToken& token : setup.added) keep_name(token.content, token.id);
  }

  static std::vector<AddedToken> only(const std::vector<AddedToken>& tokens, bool wanted) {
    std::vector<AddedToken> result;
    std::copy_if(tokens.begin(), tokens.end(), std::back_inserter(result),
                 [&](const AddedToken& token) { return token.normalised == wanted; });
    return result;
  }

  /// Tokens that are looked for in normalised texts are normalised themselves.
  std::vector<AddedToken> normalised_tokens() const {
    auto tokens = only(setup.added, true);
    for (AddedToken& token : tokens) token.content = normalise(token.content);
    return tokens;
  }

  void keep_name(const std::string& token, std::int32_t id) {
    if (static_cast<std::size_t>(id) >= names.size()) names.resize(static_cast<std::size_t>(id) + 1);
    names[static_cast<std::size_t>(id)] = token;
  }

  [[nodiscard]] std::string normalise(std::string_view text) const {
    std::string result;
    Normaliser normaliser(setup.normaliser, [&](char32_t c) { append_utf8(result, c); });
    for (std::size_t at = 0; at < text.size();) normaliser.put(next_character(text, at));
    normaliser.finish();
    return result;
  }

  /// Cuts a text into ids until `list` is full, or to its end when all are to be counted.
  void tokenize(std::string_view text, bool count_all, IdList& list) const {
    const auto enough = [&] { return !count_all && list.full(); };
    for (std::size_t at = 0; !enough();) {
      const auto piece = raw.next(text, at);
      if (!piece) break;
      if (piece->id) {
        list.pending().push_back(*piece->id);
        list.take_pending();
      } else if (normalised.empty()) {
        add_words(piece->text, enough, list);
      } else {
        add_normalised(normalise(piece->text), enough, list);
      }
    }
  }

  template <typename Enough>
  void add_words(std::string_view text, const Enough& enough, IdList& list) const {
    WordCutter cutter = make_cutter(list);
    Normaliser normaliser(setup.normaliser, [&](char32_t c) { cutter.put(c); });
    for (std::size_t at = 0; at < text.size() && !enough();) normaliser.put(next_character(text, at));
    if (enough()) return;
    normaliser.finish();
    cutter.finish();
  }

  template <typename Enough>
  void add_normalised(const std::string& text, const Enough& enough, IdList& list) const {
    for (std::size_t at = 0; !enough();) {
      const auto piece = normalised.next(text, at);
      if (!piece) return;
      if (piece->id) {
        list.pending().push_back(*piece->id);
        list.take_pending();
        continue;
      }
      WordCutter cutter = make_cutter(list);
      for (std::size_t inner = 0; inner < piece->text.size();) cutter.put(next_character(piece->text, inner));
      cutter.finish();
    }
  }

  [[nodiscard]] WordCutter make_cutter(IdList& list) const {
    return WordCutter(pieces.most_characters(), [this, &list](std::string_view word, std::size_t characters) {
      pieces.append(word, characters, list.pending());
      list.take_pending();
    });
  }

  TokenizerSetup setup;
  WordPieces pieces;
  AddedTokens raw;
  AddedTokens normalised;
  std::vector<std::string> names;
};

Tokenizer::Tokenizer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;
Tokenizer::~Tokenizer() = default;

Tokenizer Tokenizer::open(const std::filesystem::path& folder) {
  return Tokenizer(std::make_unique<Impl>(read_tokenizer(folder)));
}

Tokenizer Tokenizer::parse(std::string_view tokenizer_json, std::string_view where) {
  return Tokenizer(std::make_unique<Impl>(parse_tokenizer(tokenizer_json, where)));
}

std::vector<std::int32_t> Tokenizer::tokenize(std::string_view text, std::size_t most) const {
  IdList list(most);
  impl_->tokenize(text, false, list);
  return std::move(list.ids);
}

Encoding Tokenizer::encode(std::string_view text, std::size_t max_length) const {
  refuse_length(max_length, kAround);
  IdList list(max_length - kAround);
  impl_->tokenize(text, false, list);
  Encoding encoding;
  encoding.ids.reserve(list.ids.size() + kAround);
  encoding.ids.push_back(cls());
  encoding.ids.insert(encoding.ids.end(), list.ids.begin(), list.ids.end());
  encoding.ids.push_back(sep());
  encoding.types.assign(encoding.ids.size(), 0);
  return encoding;
}

Encoding Tokenizer::encode_pair(std::string_view a, std::string_view b, std::size_t max_length) const {
  refuse_length(max_length, kAroundPair);
  const std::size_t most = max_length - kAroundPair;
  IdList first(most);
  IdList second(most);
  // Which text is the longer one decides where the odd token goes, so both are counted to their ends.
  impl_->tokenize(a, true, first);
  impl_->tokenize(b, true, second);
  const auto [of_a, of_b] = longest_first(first.count(), second.count(), most);
  Encoding encoding;
  encoding.ids.push_back(cls());
  encoding.ids.insert(encoding.ids.end(), first.ids.begin(),
                      first.ids.begin() + static_cast<std::ptrdiff_t>(of_a));
  encoding.ids.push_back(sep());
  encoding.types.assign(encoding.ids.size(), 0);
  encoding.ids.insert(encoding.ids.end(), second.ids.begin(),
                      second.ids.begin() + static_cast<std::ptrdiff_t>(of_b));
  encoding.ids.push_back(sep());
  encoding.types.resize(encoding.ids.size(), 1);
  return encoding;
}

std::size_t Tokenizer::vocab_size() const noexcept {
  return impl_->names.size();
}

std::optional<std::int32_t> Tokenizer::id(std::string_view token) const {
  const std::string name(token);
  for (const AddedToken& added : impl_->setup.added) {
    if (added.content == name) return added.id;
  }
  const auto found = impl_->setup.vocabulary.find(name);
  return found == impl_->setup.vocabulary.end() ? std::nullopt : std::optional(found->second);
}

std::string_view Tokenizer::token(std::int32_t id) const {
  return id >= 0 && static_cast<std::size_t>(id) < impl_->names.size()
             ? impl_->names[static_cast<std::size_t>(id)]
             : std::string_view();
}

std::int32_t Tokenizer::cls() const noexcept {
  return impl_->setup.cls;
}
std::int32_t Tokenizer::sep() const noexcept {
  return impl_->setup.sep;
}
std::int32_t Tokenizer::pad() const noexcept {
  return impl_->setup.pad;
}
std::int32_t Tokenizer::unknown() const noexcept {
  return impl_->setup.unknown;
}
std::optional<std::int32_t> Tokenizer::mask() const noexcept {
  return impl_->setup.mask;
}

}  // namespace mustcite::model
