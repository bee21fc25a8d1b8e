#pragma once

#include <string>
#include <string_view>

namespace mustcite::text {

/// True when every byte belongs to a well-formed UTF-8 sequence.
[[nodiscard]] bool is_valid_utf8(std::string_view text) noexcept;

/// Replaces every malformed byte sequence by U+FFFD.
[[nodiscard]] std::string repair_utf8(std::string_view text);

/// Canonical composition (NFC).
[[nodiscard]] std::string nfc(std::string_view text);

/// One line of clean, plain text from what a site or a PDF gave: UTF-8 repaired, HTML tags and entities (also
/// doubly escaped ones) resolved, UTF-8 read as Latin-1 (mojibake) undone where that is certain, ligatures,
/// `(cid:…)` marks, control and zero-width characters removed, LaTeX accents and simple markup turned into
/// text (maths kept, `$` and all), line-break hyphens joined, white space folded, NFC.
[[nodiscard]] std::string clean(std::string_view text);

/// `clean`, then for titles: the trailing full stop and enclosing braces go.
[[nodiscard]] std::string clean_title(std::string_view text);

/// `clean`, then a leading "Abstract" label goes; boilerplate such as "Download PDF" becomes empty.
[[nodiscard]] std::string clean_abstract(std::string_view text);

/// Key under which two spellings of a title meet: letters and digits only, lower case, accents removed,
/// LaTeX and maths marks dropped. Empty for a title without letters or digits.
[[nodiscard]] std::string title_key(std::string_view title);

/// Family name of "Given Family", "Family, Given" or a single name: lower case, accents removed, particles
/// kept.
[[nodiscard]] std::string family_name(std::string_view author);

/// Under which two spellings of an author meet: the family name and the first letter of the given name, "hinton g".
/// Empty for a name without letters; "hinton" alone where there is no given name.
[[nodiscard]] std::string author_key(std::string_view author);

/// Lower case of any script, accents kept (ICU root locale).
[[nodiscard]] std::string to_lower(std::string_view text);

/// Lower case, compatibility forms folded, accents and other marks removed.
[[nodiscard]] std::string fold(std::string_view text);

}  // namespace mustcite::text
