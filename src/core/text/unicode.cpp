#include "core/text/unicode.hpp"

#include <unicode/locid.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>

#include <array>
#include <vector>

#include "core/base/error.hpp"
#include "core/text/normalise.hpp"

namespace mustcite::text {
namespace {

const icu::Normalizer2& normalizer(const icu::Normalizer2* (*get)(UErrorCode&)) {
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* found = get(status);
  if (U_FAILURE(status) || found == nullptr) fail(ErrorCode::internal, "ICU has no normalisation data");
  return *found;
}

const icu::Normalizer2& composer() {
  return normalizer(&icu::Normalizer2::getNFCInstance);
}

/// Letters that are no base letter plus accent in Unicode, but that readers and keyboards treat so.
const char* plain_letter(char32_t code) noexcept {
  switch (code) {
    case U'æ':
      return "ae";
    case U'œ':
      return "oe";
    case U'ø':
      return "o";
    case U'ł':
      return "l";
    case U'đ':
      return "d";
    case U'ð':
      return "d";
    case U'þ':
      return "th";
    case U'ħ':
      return "h";
    case U'ı':
      return "i";
    case U'ŧ':
      return "t";
    case U'ŋ':
      return "ng";
    case U'ß':
      return "ss";
    case U'\u2010':
    case U'\u2011':
    case U'\u2012':
    case U'\u2013':
    case U'\u2212':
      return "-";
    default:
      return nullptr;
  }
}

/// The folded form of one code point, through ICU.
std::string fold_by_icu(char32_t code) {
  UErrorCode status = U_ZERO_ERROR;
  icu::UnicodeString text(static_cast<UChar32>(code));
  static const icu::Normalizer2& folder = normalizer(&icu::Normalizer2::getNFKCCasefoldInstance);
  static const icu::Normalizer2& splitter = normalizer(&icu::Normalizer2::getNFDInstance);
  text = splitter.normalize(folder.normalize(text, status), status);
  icu::UnicodeString kept;
  for (std::int32_t i = 0; i < text.length(); i = text.moveIndex32(i, 1)) {
    const UChar32 c = text.char32At(i);
    if (u_charType(c) == U_NON_SPACING_MARK || u_charType(c) == U_ENCLOSING_MARK) continue;
    if (const char* plain = plain_letter(static_cast<char32_t>(c)); plain != nullptr) {
      kept.append(icu::UnicodeString(plain));
    } else {
      kept.append(c);
    }
  }
  std::string result;
  composer().normalize(kept, status).toUTF8String(result);
  if (U_FAILURE(status))
    fail(ErrorCode::internal, "ICU cannot fold U+{:04X}", static_cast<std::uint32_t>(code));
  return result;
}

/// Latin, Greek, Cyrillic, their accents and general punctuation, folded once: nearly all that occurs.
class FoldTable {
 public:
  static constexpr char32_t kEnd = 0x530;
  static constexpr char32_t kPunctuation = 0x2000;
  static constexpr char32_t kPunctuationEnd = 0x2070;

  FoldTable() {
    for (char32_t c = 0; c < kEnd; ++c) low_.push_back(fold_by_icu(c));
    for (char32_t c = kPunctuation; c < kPunctuationEnd; ++c) punctuation_.push_back(fold_by_icu(c));
  }
  /// Null when the code point is outside the table.
  [[nodiscard]] const std::string* find(char32_t code) const noexcept {
    if (code < kEnd) return &low_[code];
    if (code >= kPunctuation && code < kPunctuationEnd) return &punctuation_[code - kPunctuation];
    return nullptr;
  }

 private:
  std::vector<std::string> low_;
  std::vector<std::string> punctuation_;
};

/// Ideographs fold to themselves, one by one; asking ICU for each would be slow on Chinese text.
constexpr bool folds_to_itself(char32_t code) noexcept {
  return code >= 0x3400 && code <= 0x9FFF;
}

}  // namespace

char32_t decode(std::string_view text, std::size_t& at) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t begin = at++;
  const char32_t first = byte(begin);
  if (first < 0x80) return first;
  const std::size_t more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
  if (first < 0xC2 || first > 0xF4 || begin + more >= text.size()) return kMalformed;
  char32_t code = first & (0x3F >> more);
  for (std::size_t i = 1; i <= more; ++i) {
    if ((byte(begin + i) & 0xC0) != 0x80) return kMalformed;
    code = (code << 6) | (byte(begin + i) & 0x3F);
  }
  constexpr std::array<char32_t, 4> smallest{0, 0x80, 0x800, 0x10000};
  if (code < smallest[more] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return kMalformed;
  at = begin + more + 1;
  return code;
}

void encode(char32_t code, std::string& out) {
  const auto put = [&](char32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | (code >> 6));
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | (code >> 12));
    put(0x80 | ((code >> 6) & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | (code >> 18));
    put(0x80 | ((code >> 12) & 0x3F));
    put(0x80 | ((code >> 6) & 0x3F));
    put(0x80 | (code & 0x3F));
  }
}

bool is_ascii(std::string_view text) noexcept {
  unsigned char seen = 0;
  for (const char c : text) seen = static_cast<unsigned char>(seen | static_cast<unsigned char>(c));
  return seen < 0x80;
}

bool is_letter(char32_t code) noexcept {
  return u_isalpha(static_cast<UChar32>(code)) != 0;
}
bool is_digit(char32_t code) noexcept {
  return u_isdigit(static_cast<UChar32>(code)) != 0;
}
bool is_mark(char32_t code) noexcept {
  return (U_GET_GC_MASK(static_cast<UChar32>(code)) & U_GC_M_MASK) != 0;
}
bool is_upper(char32_t code) noexcept {
  return u_isupper(static_cast<UChar32>(code)) != 0;
}

bool is_valid_utf8(std::string_view text) noexcept {
  if (is_ascii(text)) return true;
  for (std::size_t at = 0; at < text.size();) {
    if (decode(text, at) == kMalformed) return false;
  }
  return true;
}

std::string repair_utf8(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  bool broken = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const bool malformed = decode(text, at) == kMalformed;
    if (!malformed) {
      result.append(text.substr(begin, at - begin));
    } else if (!broken || (static_cast<unsigned char>(text[begin]) & 0xC0) != 0x80) {
      // One mark for a sequence: its stray continuation bytes add nothing.
      result.append("\xEF\xBF\xBD");
    }
    broken = malformed;
  }
  return result;
}

std::string nfc(std::string_view text) {
  if (is_ascii(text)) return std::string(text);
  UErrorCode status = U_ZERO_ERROR;
  const icu::StringPiece piece(text.data(), static_cast<std::int32_t>(text.size()));
  if (composer().isNormalizedUTF8(piece, status)) return std::string(text);
  std::string result;
  const icu::UnicodeString wide = icu::UnicodeString::fromUTF8(piece);
  composer().normalize(wide, status).toUTF8String(result);
  if (U_FAILURE(status)) fail(ErrorCode::internal, "ICU cannot compose a text of {} bytes", text.size());
  return result;
}

std::string to_lower(std::string_view text) {
  std::string result(text);
  if (is_ascii(text)) {
    for (char& c : result) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return result;
  }
  icu::UnicodeString wide =
      icu::UnicodeString::fromUTF8(icu::StringPiece(text.data(), static_cast<std::int32_t>(text.size())));
  result.clear();
  wide.toLower(icu::Locale::getRoot()).toUTF8String(result);
  return result;
}

std::string fold(std::string_view text) {
  if (is_ascii(text)) return to_lower(text);
  static const FoldTable table;
  std::string result;
  result.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const char byte = text[at];
    if (static_cast<unsigned char>(byte) < 0x80) {
      result.push_back(byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte - 'A' + 'a') : byte);
      ++at;
      continue;
    }
    const std::size_t begin = at;
    const char32_t code = decode(text, at);
    if (code == kMalformed) {
      result.append("\xEF\xBF\xBD");
    } else if (const std::string* known = table.find(code); known != nullptr) {
      result.append(*known);
    } else if (folds_to_itself(code)) {
      result.append(text.substr(begin, at - begin));
    } else {
      result.append(fold_by_icu(code));
    }
  }
  return result;
}

}  // namespace mustcite::text
