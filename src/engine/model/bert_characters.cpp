#include "engine/model/bert_characters.hpp"

#include <unicode/normalizer2.h>
#include <unicode/uchar.h>

#include <array>

#include "core/base/error.hpp"

namespace mustcite::model::characters {
namespace {

constexpr std::uint8_t kCategoryAge = 8;
constexpr std::uint8_t kDecompositionAge = 9;

/// True for characters that were assigned in that major version of Unicode or before.
bool known_in(std::uint8_t version, char32_t c) noexcept {
  UVersionInfo age;
  u_charAge(static_cast<UChar32>(c), age);
  return age[0] != 0 && (age[0] < version || (age[0] == version && age[1] == 0));
}

std::uint32_t category_mask(char32_t c) noexcept {
  return known_in(kCategoryAge, c) ? U_MASK(u_charType(static_cast<UChar32>(c))) : U_GC_CN_MASK;
}

const icu::Normalizer2& decomposer() {
  static const icu::Normalizer2* const instance = [] {
    UErrorCode status = U_ZERO_ERROR;
    const icu::Normalizer2* made = icu::Normalizer2::getNFDInstance(status);
    if (U_FAILURE(status))
      fail(ErrorCode::internal, "ICU has no tables of decompositions: {}", u_errorName(status));
    return made;
  }();
  return *instance;
}

/// Letters with a lower case since Unicode 16 or 17, which ICU 72 does not know: a range and the way to its
/// lower case.
struct NewCase {
  char32_t first;
  char32_t last;
  std::int32_t distance;
};

constexpr std::array<NewCase, 10> kNewCases{{{0x1C89, 0x1C89, 1},
                                             {0xA7CB, 0xA7CB, 0x264 - 0xA7CB},
                                             {0xA7CC, 0xA7CC, 1},
                                             {0xA7CE, 0xA7CE, 1},
                                             {0xA7D2, 0xA7D2, 1},
                                             {0xA7D4, 0xA7D4, 1},
                                             {0xA7DA, 0xA7DA, 1},
                                             {0xA7DC, 0xA7DC, 0x19B - 0xA7DC},
                                             {0x10D50, 0x10D65, 0x20},
                                             {0x16EA0, 0x16EB8, 0x1B}}};

}  // namespace

bool is_space(char32_t c) noexcept {
  if (c < 0x80) return c == ' ' || (c >= '\t' && c <= '\r');
  return u_isUWhiteSpace(static_cast<UChar32>(c)) != 0;
}

bool is_removed(char32_t c) noexcept {
  if (c < 0x80) return (c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7F;
  return c == 0xFFFD || (category_mask(c) & (U_GC_CC_MASK | U_GC_CF_MASK | U_GC_CO_MASK)) != 0;
}

bool is_punctuation(char32_t c) noexcept {
  if (c < 0x80)
    return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') ||
           (c >= '{' && c <= '~');
  // Both were punctuation in Unicode 8 and are not any more.
  if (c == 0x166D || c == 0x111C9) return true;
  return (category_mask(c) & U_GC_P_MASK) != 0;
}

bool is_ideograph(char32_t c) noexcept {
  // As in BERT, the gap between 2B820 and 2B91F included.
  return (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF) || (c >= 0x20000 && c <= 0x2A6DF) ||
         (c >= 0x2A700 && c <= 0x2B81F) || (c >= 0x2B920 && c <= 0x2CEAF) || (c >= 0xF900 && c <= 0xFAFF) ||
         (c >= 0x2F800 && c <= 0x2FA1F);
}

bool is_accent(char32_t c) noexcept {
  if (c < 0x300) return false;
  // Characters whose category has changed since Unicode 8.
  if (c == 0x1734) return true;
  if (c == 0x1885 || c == 0x1886 || c == 0xA9BD || c == 0x111C9) return false;
  return (category_mask(c) & U_GC_MN_MASK) != 0;
}

std::uint8_t combining_class(char32_t c) noexcept {
  if (c < 0x300) return 0;
  const std::uint8_t found = u_getCombiningClass(static_cast<UChar32>(c));
  return found != 0 && known_in(kDecompositionAge, c) ? found : 0;
}

void decompose(char32_t c, std::u32string& out) {
  icu::UnicodeString parts;
  if (c < 0xC0 || !known_in(kDecompositionAge, c) ||
      !decomposer().getDecomposition(static_cast<UChar32>(c), parts)) {
    out.push_back(c);
    return;
  }
  for (std::int32_t i = 0; i < parts.length(); i = parts.moveIndex32(i, 1))
    out.push_back(static_cast<char32_t>(parts.char32At(i)));
}

void lower(char32_t c, std::u32string& out) {
  if (c < 0x80) {
    out.push_back(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
    return;
  }
  if (c == 0x130) {  // I with a dot: an i and the dot
    out.push_back('i');
    out.push_back(0x307);
    return;
  }
  for (const NewCase& range : kNewCases) {
    if (c >= range.first && c <= range.last) {
      out.push_back(static_cast<char32_t>(static_cast<std::int32_t>(c) + range.distance));
      return;
    }
  }
  out.push_back(static_cast<char32_t>(u_tolower(static_cast<UChar32>(c))));
}

}  // namespace mustcite::model::characters
