#include "stages/extract/reference_features.hpp"

#include <algorithm>
#include <cstdint>

#include "stages/extract/reference_facts.hpp"

namespace mustcite::extract {
namespace {

/// Beyond the ends of the reference.
constexpr std::uint32_t kOutside = 0xfffffff0;

std::uint32_t mix(std::uint32_t kind, std::uint32_t a, std::uint32_t b = 0, std::uint32_t c = 0) {
  std::uint64_t h = 0x9E3779B97F4A7C15ULL * (kind + 1);
  for (const std::uint32_t value : {a, b, c}) {
    h ^= value + 0x9E3779B97F4A7C15ULL + (h << 6) + (h >> 2);
    h *= 0xBF58476D1CE4E5B9ULL;
    h ^= h >> 29;
  }
  return static_cast<std::uint32_t>(h >> 32);
}

std::uint32_t bucket(std::size_t distance) {
  if (distance < 4) return static_cast<std::uint32_t>(distance);
  return distance < 6 ? 4 : distance < 10 ? 5 : distance < 16 ? 6 : 7;
}

class Features {
 public:
  explicit Features(const ReferenceFacts& facts) : facts_(facts), list_(facts.tokens) { measure(); }

  learn::CrfSequence sequence() {
    learn::CrfSequence out;
    out.features.reserve(list_.size() * 72);
    out.begins.reserve(list_.size() + 1);
    for (std::size_t i = 0; i < list_.size(); ++i) {
      out_ = &out.features;
      words(i);
      forms(i);
      place(i);
      marks(i);
      stretches(i);
      out.begins.push_back(static_cast<std::uint32_t>(out.features.size()));
    }
    return out;
  }

 private:
  /// What depends on everything before or behind a token.
  void measure() {
    const std::size_t size = list_.size();
    years_.resize(size);
    quote_.resize(size);
    bracket_.resize(size);
    mark_before_.assign(size, kOutside);
    mark_behind_.assign(size, kOutside);
    far_before_.resize(size);
    far_behind_.resize(size);
    std::uint32_t years = 0;
    std::uint32_t quotes = 0;
    std::uint32_t depth = 0;
    std::uint32_t mark = kOutside;
    std::size_t at = 0;
    for (std::size_t i = 0; i < size; ++i) {
      years_[i] = std::min(years, 2U);
      years += list_[i].year ? 1 : 0;
      if (list_[i].mark == '"') ++quotes;
      quote_[i] = std::min(quotes, 3U);
      if (list_[i].mark == '(' || list_[i].mark == '[') ++depth;
      bracket_[i] = depth > 0 ? 1 : 0;
      if ((list_[i].mark == ')' || list_[i].mark == ']') && depth > 0) --depth;
      mark_before_[i] = mark;
      far_before_[i] = bucket(i - at);
      if (is_mark(i)) {
        mark = static_cast<unsigned char>(list_[i].mark);
        at = i + 1;
      }
    }
    mark = kOutside;
    at = size;
    for (std::size_t i = size; i-- > 0;) {
      mark_behind_[i] = mark;
      far_behind_[i] = bucket(at - i);
      if (is_mark(i)) {
        mark = static_cast<unsigned char>(list_[i].mark);
        at = i;
      }
    }
  }

  [[nodiscard]] bool is_mark(std::size_t i) const {
    const char mark = list_[i].mark;
    return mark != 0 && mark != '-' && mark != '\'' && mark != '/' && mark != '&';
  }

  void put(std::uint32_t kind, std::uint32_t a, std::uint32_t b = 0, std::uint32_t c = 0) {
    out_->push_back(mix(kind, a, b, c));
  }

  [[nodiscard]] std::uint32_t word(std::size_t i, int offset) const {
    const auto at = static_cast<std::ptrdiff_t>(i) + offset;
    return at < 0 || at >= static_cast<std::ptrdiff_t>(list_.size())
               ? kOutside + (offset < 0 ? 0 : 1)
               : list_[static_cast<std::size_t>(at)].word;
  }
  [[nodiscard]] std::uint32_t shape(std::size_t i, int offset) const {
    const auto at = static_cast<std::ptrdiff_t>(i) + offset;
    return at < 0 || at >= static_cast<std::ptrdiff_t>(list_.size())
               ? kOutside
               : list_[static_cast<std::size_t>(at)].shape;
  }
  [[nodiscard]] std::uint32_t use(std::size_t i, int offset) const {
    const auto at = static_cast<std::ptrdiff_t>(i) + offset;
    if (at < 0 || at >= static_cast<std::ptrdiff_t>(list_.size())) return kOutside;
    const TokenFacts& token = list_[static_cast<std::size_t>(at)];
    return static_cast<std::uint32_t>(token.use) + (token.word_token ? 0U : 16U) + (token.capital ? 32U : 0U);
  }

  void words(std::size_t i) {
    const TokenFacts& token = list_[i];
    put(0, 1);
    put(1, token.word);
    put(2, word(i, -1));
    put(3, word(i, 1));
    put(4, word(i, -2));
    put(5, word(i, 2));
    put(6, word(i, -1), token.word);
    put(7, token.word, word(i, 1));
    put(8, word(i, -2), word(i, -1));
    put(9, word(i, 1), word(i, 2));
    for (std::uint32_t k = 0; k < 3; ++k) {
      if (token.prefixes[k] != 0) put(10 + k, token.prefixes[k]);
      if (token.suffixes[k] != 0) put(13 + k, token.suffixes[k]);
    }
  }

  void forms(std::size_t i) {
    const std::uint32_t own = list_[i].shape;
    put(20, own);
    put(21, shape(i, -1));
    put(22, shape(i, 1));
    put(23, shape(i, -1), own);
    put(24, own, shape(i, 1));
    put(25, shape(i, -1), own, shape(i, 1));
    put(26, shape(i, -2), shape(i, -1), own);
    put(27, own, shape(i, 1), shape(i, 2));
    put(28, use(i, 0));
    put(29, use(i, -1));
    put(30, use(i, 1));
    put(31, use(i, -1), use(i, 0), use(i, 1));
    put(32, use(i, 0), own);
    put(33, use(i, 1), use(i, 2), own);
    put(34, use(i, -2), use(i, -1), own);
    put(35, static_cast<std::uint32_t>(list_[i].cue));
    put(36, list_[i].space ? 1 : 0, own);
    put(37, i + 1 < list_.size() && list_[i + 1].space ? 1 : 0, own);
  }

  void place(std::size_t i) {
    const std::size_t size = list_.size();
    const auto tenth = static_cast<std::uint32_t>(i * 10 / size);
    put(40, static_cast<std::uint32_t>(std::min<std::size_t>(i, 6)), list_[i].shape);
    put(41, bucket(size - 1 - i), list_[i].shape);
    put(42, tenth);
    put(43, tenth, facts_.style);
    // 0 inside the authors by rules, 1 first token behind, 2 second or third one, 3 later.
    const std::uint32_t behind =
        i < facts_.author_tokens
            ? 0
            : std::min<std::uint32_t>(3, 1 + (static_cast<std::uint32_t>(i) - facts_.author_tokens + 1) / 2);
    put(44, behind);
    put(45, behind, list_[i].shape);
    put(46, behind, word(i, -1));
    put(47, behind, years_[i], facts_.style);
    put(48, years_[i], facts_.style, quote_[i]);
    put(49, quote_[i], list_[i].shape);
    put(50, bracket_[i], list_[i].shape);
  }

  void marks(std::size_t i) {
    put(60, mark_before_[i], far_before_[i]);
    put(61, mark_behind_[i], far_behind_[i]);
    put(62, mark_before_[i], mark_behind_[i]);
    put(63, mark_before_[i], mark_behind_[i], list_[i].shape);
    put(64, far_before_[i], list_[i].shape);
    put(65, far_behind_[i], list_[i].shape);
  }

  [[nodiscard]] static std::uint32_t code(const std::vector<Stretch>& list, std::size_t at, int offset) {
    const auto there = static_cast<std::ptrdiff_t>(at) + offset;
    return there < 0 || there >= static_cast<std::ptrdiff_t>(list.size())
               ? kOutside
               : list[static_cast<std::size_t>(there)].code();
  }
  [[nodiscard]] static std::uint32_t cues(const std::vector<Stretch>& list, std::size_t at, int offset) {
    const auto there = static_cast<std::ptrdiff_t>(at) + offset;
    return there < 0 || there >= static_cast<std::ptrdiff_t>(list.size())
               ? kOutside
               : list[static_cast<std::size_t>(there)].cues;
  }

  void stretches(std::size_t i) {
    const std::size_t chunk = facts_.chunk_of[i];
    const std::size_t sentence = facts_.sentence_of[i];
    const auto from_end = static_cast<std::uint32_t>(facts_.sentences.size() - 1 - sentence);
    const auto number = static_cast<std::uint32_t>(std::min<std::size_t>(sentence, 6));
    const bool begins = facts_.chunks[chunk].begin == i;
    const bool opens = facts_.sentences[sentence].begin == i;
    put(70, code(facts_.chunks, chunk, 0));
    put(71, code(facts_.chunks, chunk, -1), code(facts_.chunks, chunk, 0), begins ? 1 : 0);
    put(72, code(facts_.chunks, chunk, 0), code(facts_.chunks, chunk, 1));
    put(73, cues(facts_.chunks, chunk, 0));
    put(74, cues(facts_.chunks, chunk, 1));
    put(75, cues(facts_.chunks, chunk, -1), begins ? 1 : 0);
    put(76, cues(facts_.chunks, chunk, 0), list_[i].shape);
    put(77, code(facts_.sentences, sentence, 0));
    put(78, code(facts_.sentences, sentence, -1), code(facts_.sentences, sentence, 0));
    put(79, cues(facts_.sentences, sentence, 0));
    put(80, cues(facts_.sentences, sentence, -1), number);
    put(81, cues(facts_.sentences, sentence, 1), number);
    put(82, number, facts_.style);
    put(83, std::min(from_end, 5U), facts_.style);
    put(84, number, opens ? 1 : 0, list_[i].shape);
    put(85, word(facts_.chunks[chunk].begin, 0), begins ? 1 : 0);
    const std::size_t next = facts_.chunks[chunk].end;
    put(86, next < list_.size() ? list_[next].word : kOutside);
    put(87, next < list_.size() ? list_[next].shape : kOutside, begins ? 1 : 0);
    put(88, static_cast<std::uint32_t>(std::min<std::size_t>(chunk, 8)), facts_.style);
    put(89, begins ? 1 : 0, opens ? 1 : 0, mark_before_[i]);
  }

  const ReferenceFacts& facts_;
  const std::vector<TokenFacts>& list_;
  std::vector<std::uint32_t>* out_ = nullptr;
  std::vector<std::uint32_t> years_, quote_, bracket_, mark_before_, mark_behind_, far_before_, far_behind_;
};

}  // namespace

learn::CrfSequence reference_features(std::string_view raw, std::span<const ReferenceToken> tokens,
                                      const NameWords& names) {
  const ReferenceFacts facts = reference_facts(raw, tokens, names);
  return Features(facts).sequence();
}

}  // namespace mustcite::extract
