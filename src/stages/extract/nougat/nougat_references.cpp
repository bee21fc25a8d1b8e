#include "stages/extract/nougat/nougat_references.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include "core/text/normalise.hpp"
#include "core/text/printed_years.hpp"
#include "stages/extract/reference_names.hpp"

namespace mustcite::extract::nougat {
namespace {

/// Above this a list is no list of references.
constexpr std::size_t kMostEntries = 20'000;
constexpr std::size_t kLongestEntry = 4000;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool names_list(std::string_view heading) {
  std::string key = text::fold(plain(heading));
  const std::size_t letters = key.find_first_not_of("0123456789. ivx");
  // "7 References", "VII. REFERENCES"; the i of "index" belongs to the word.
  for (const std::string_view name :
       {"references", "reference", "bibliography", "literature cited", "works cited", "references and notes",
        "literature", "cited references"}) {
    if (key == name) return true;
    if (letters != std::string::npos && key.substr(letters) == name) return true;
  }
  return false;
}

/// A printed entry before its fields are read.
struct Printed {
  std::string label;    ///< without brackets; empty: none was printed
  std::string by_name;  ///< Nougat's own label of author-year lists: "Artetxe et al. (2021)"
  std::string raw;
};

/// "[12] …" or "(12) …" parted into label and rest.
std::optional<Printed> bracketed(std::string_view text) {
  const bool square = text.starts_with("[");
  if (!square && !text.starts_with("(")) return std::nullopt;
  const std::size_t close = text.substr(0, 20).find(square ? ']' : ')');
  if (close == std::string_view::npos || close < 2 || close > 14) return std::nullopt;
  const std::string_view label = text.substr(1, close - 1);
  if (label.find(' ') != std::string_view::npos || std::isalnum(static_cast<unsigned char>(label[0])) == 0)
    return std::nullopt;
  if (!square && (close > 4 || !std::all_of(label.begin(), label.end(), is_digit))) return std::nullopt;
  std::string_view rest = text.substr(close + 1);
  while (rest.starts_with(" ")) rest.remove_prefix(1);
  return Printed{std::string(label), {}, std::string(rest)};
}

/// "12. Smith" of a list without brackets.
std::optional<Printed> dotted(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && at < 4 && is_digit(text[at])) ++at;
  if (at == 0 || at > 3 || text.substr(at, 2) != ". ") return std::nullopt;
  return Printed{std::string(text.substr(0, at)), {}, std::string(text.substr(at + 2))};
}

/// "Artetxe et al. (2021) Mikel Artetxe, …", "Artetxe et al. [2021] …": the name must come again in the entry
/// itself, else the entry is printed that way.
std::optional<Printed> named(std::string_view text) {
  const std::string_view front = text.substr(0, 120);
  const std::size_t open = std::min(front.find(" ("), front.find(" ["));
  if (open == std::string_view::npos || open < 2) return std::nullopt;
  std::string_view year = text.substr(open + 2, 6);
  const std::size_t close = year.find(text[open + 1] == '(' ? ')' : ']');
  if (close == std::string_view::npos || close < 4) return std::nullopt;
  year = year.substr(0, close);
  if (!std::all_of(year.begin(), year.begin() + 4, is_digit)) return std::nullopt;
  const std::size_t rest = open + 2 + close + 1;
  if (rest + 2 >= text.size() || text[rest] != ' ') return std::nullopt;
  std::string_view names = text.substr(0, open);
  std::string_view first = names;
  for (const std::string_view stop : {" et al", " and ", ", ", " & "})
    first = first.substr(0, first.find(stop));
  const std::string key = surname_key(first);
  const std::string head = text::fold(text.substr(rest, 400));
  if (key.size() < 2 || head.find(key) == std::string::npos) return std::nullopt;
  return Printed{{}, std::string(text.substr(0, rest)), std::string(text.substr(rest + 1))};
}

Printed split_label(const std::string& text) {
  if (auto entry = bracketed(text)) return *entry;
  if (auto entry = named(text)) return *entry;
  if (auto entry = dotted(text)) return *entry;
  return {{}, {}, text};
}

/// "…pp. 1–9. * [85] C. Cortes": entries that were glued to the one before, told by the next numbers.
void part_glued(const std::string& text, std::vector<std::string>& out) {
  const auto first = bracketed(text);
  bool mended = false;
  int last = first ? number_of(first->label, mended) : 0;
  std::size_t from = 0;
  for (std::size_t at = text.find('[', 1); last > 0 && at != std::string::npos; at = text.find('[', at + 1)) {
    const auto next = bracketed(std::string_view(text).substr(at));
    if (!next || text[at - 1] != ' ') continue;
    const int number = number_of(next->label, mended);
    const bool capital = !next->raw.empty() && std::isupper(static_cast<unsigned char>(next->raw[0])) != 0;
    if (number <= last || number > last + 3 || !capital) continue;
    out.push_back(text.substr(from, at - from));
    from = at;
    last = number;
  }
  out.push_back(text.substr(from));
}

/// The strings of the list: items, and what was printed without a star.
std::vector<std::string> strings_of(std::span<const Block> blocks) {
  const bool items = std::any_of(blocks.begin(), blocks.end(),
                                 [](const Block& block) { return block.kind == Block::Kind::item; });
  std::vector<std::string> strings;
  for (const auto& block : blocks) {
    if (block.kind != Block::Kind::item && block.kind != Block::Kind::paragraph) continue;
    std::string text = plain(std::string_view(block.text).substr(0, kLongestEntry * 20));
    if (text.empty() || strings.size() >= kMostEntries) continue;
    const bool starts = block.kind == Block::Kind::item || !items || bracketed(text) || named(text);
    if (starts) {
      part_glued(text, strings);
      continue;
    }
    // A page's end parts an entry; captions of figures that float among the entries belong to none.
    const bool caption =
        text.starts_with("Figure") || text.starts_with("Table") || text.starts_with("Footnote");
    const bool goes_on =
        !strings.empty() && strings.back().size() < kLongestEntry &&
        (strings.back().back() != '.' || std::islower(static_cast<unsigned char>(text[0])) != 0);
    if (!caption && goes_on) strings.back() += ' ' + text;
  }
  for (auto& text : strings) {
    while (!text.empty() && text.back() == ' ') text.pop_back();
    if (text.size() > kLongestEntry) text.resize(kLongestEntry);
  }
  return strings;
}

/// Drops numbers that break the ascending order: the longest ascending sequence stays. A list in disorder
/// altogether is left as it is.
void drop_strays(std::vector<int>& numbers) {
  std::vector<std::size_t> tails;  // index of the last number of the best sequence of each length
  std::vector<std::size_t> before(numbers.size(), numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] == 0) continue;
    const auto at = std::lower_bound(tails.begin(), tails.end(), numbers[i],
                                     [&](std::size_t tail, int number) { return numbers[tail] < number; });
    if (at != tails.begin()) before[i] = *(at - 1);
    if (at == tails.end())
      tails.push_back(i);
    else
      *at = i;
  }
  const auto numbered =
      numbers.size() - static_cast<std::size_t>(std::count(numbers.begin(), numbers.end(), 0));
  if (tails.size() * 10 < numbered * 8) return;
  std::vector<bool> kept(numbers.size(), false);
  for (std::size_t i = tails.empty() ? numbers.size() : tails.back(); i < numbers.size(); i = before[i])
    kept[i] = true;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (!kept[i]) numbers[i] = 0;
  }
}

/// Numbers of numbered entries: letters for digits put right, gaps between neighbours filled.
void set_numbers(std::vector<Printed>& printed, List& list) {
  std::vector<int> numbers(printed.size(), 0);
  for (std::size_t i = 0; i < printed.size(); ++i) {
    bool mended = false;
    numbers[i] = number_of(printed[i].label, mended);
    const int before = i > 0 ? numbers[i - 1] : 0;
    // "l0" is 10 only where 10 comes next.
    if (mended && numbers[i] != before + 1) numbers[i] = 0;
    if (mended && numbers[i] != 0) ++list.mended_labels;
  }
  drop_strays(numbers);
  for (std::size_t i = 0; i < numbers.size();) {
    if (numbers[i] != 0) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < numbers.size() && numbers[end] == 0) ++end;
    const int before = i > 0 ? numbers[i - 1] : 0;
    const bool fits = end < numbers.size() && numbers[end] - before - 1 == static_cast<int>(end - i);
    for (std::size_t k = i; fits && k < end; ++k) {
      numbers[k] = before + 1 + static_cast<int>(k - i);
      ++list.inferred_labels;
    }
    i = end;
  }
  int last = 0;
  for (std::size_t i = 0; i < printed.size(); ++i) {
    if (numbers[i] == 0) continue;
    printed[i].label = std::to_string(numbers[i]);
    for (int skipped = last + 1; skipped < numbers[i] && numbers[i] - last < 50; ++skipped)
      list.missing_labels.push_back(skipped);
    last = std::max(last, numbers[i]);
  }
}

ReferenceEntry entry_of(Printed printed) {
  ReferenceEntry entry;
  entry.label = std::move(printed.label);
  entry.fields.key = entry.label;
  entry.fields.raw = std::move(printed.raw);
  if (!printed.by_name.empty()) {
    const auto years = text::printed_years(printed.by_name);
    if (!years.empty()) {
      entry.fields.year = years.back().year;
      entry.year_letter = years.back().letter;
    }
  }
  read_fields_by_rules(entry);
  if (entry.surnames.empty() && !printed.by_name.empty()) {
    const std::string names = printed.by_name.substr(0, printed.by_name.find_first_of(",(["));
    if (std::string key = surname_key(names.substr(0, names.find(" et al"))); !key.empty())
      entry.surnames.push_back(std::move(key));
  }
  return entry;
}

/// A caption, a footnote or a table row that Nougat put into the list.
bool is_remnant(const Printed& printed) {
  return printed.label.empty() && printed.by_name.empty() && text::printed_years(printed.raw).empty() &&
         (printed.raw.size() < 25 || printed.raw.starts_with("Figure") || printed.raw.starts_with("Table"));
}

}  // namespace

bool is_tag(std::string_view label) {
  if (label.size() < 3 || label.size() > 12 || std::isalpha(static_cast<unsigned char>(label[0])) == 0)
    return false;
  const auto digits = std::count_if(label.begin(), label.end(), is_digit);
  const bool plain_letters = std::all_of(label.begin(), label.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '+' || c == '*';
  });
  const auto capitals =
      std::count_if(label.begin(), label.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
  return plain_letters && (digits == 2 || digits == 4) && capitals >= 1;
}

int number_of(std::string_view printed, bool& mended) {
  mended = false;
  if (printed.empty() || printed.size() > 4) return 0;
  int number = 0;
  bool digit = false;
  for (const char c : printed) {
    int value = -1;
    if (is_digit(c)) {
      value = c - '0';
      digit = true;
    } else if (c == 'l' || c == 'I' || c == 'i' || c == '|') {
      value = 1;
    } else if (c == 'O' || c == 'o') {
      value = 0;
    } else if (c == 'S' || c == 's') {
      value = 5;
    } else if (c == 'B') {
      value = 8;
    } else if (c == 'Z' || c == 'z') {
      value = 2;
    }
    if (value < 0) return 0;
    mended = mended || !is_digit(c);
    number = number * 10 + value;
  }
  // Letters alone are a variable or a word.
  return digit ? number : 0;
}

Extent find_list(std::span<const Block> blocks) {
  Extent found;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const bool bold = blocks[i].kind == Block::Kind::paragraph && blocks[i].text.size() < 30;
    if ((blocks[i].kind != Block::Kind::heading && !bold) || !names_list(blocks[i].text)) continue;
    std::size_t end = i + 1;
    while (end < blocks.size() && blocks[end].kind != Block::Kind::heading) ++end;
    // The longest one: a supplement may have a short list of its own.
    if (end - i - 1 > found.end - found.begin) found = {i, i + 1, end};
  }
  if (found.begin != found.end) return found;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const auto labelled = [&](std::size_t at) {
      return blocks[at].kind == Block::Kind::item &&
             (bracketed(blocks[at].text) || named(plain(blocks[at].text)));
    };
    if (!labelled(i)) continue;
    std::size_t end = i;
    while (end < blocks.size() && labelled(end)) ++end;
    if (end - i >= 5 && end - i > found.end - found.begin) found = {i, i, end};
    i = end - 1;
  }
  return found;
}

List read_list(std::span<const Block> blocks) {
  List list;
  std::vector<Printed> printed;
  for (const auto& text : strings_of(blocks)) {
    Printed entry = split_label(text);
    if (!is_remnant(entry)) printed.push_back(std::move(entry));
  }
  std::size_t numbers = 0;
  std::size_t tags = 0;
  for (const auto& entry : printed) {
    bool mended = false;
    numbers += number_of(entry.label, mended) != 0 ? 1 : 0;
    tags += is_tag(entry.label) ? 1 : 0;
  }
  if (printed.empty()) return list;
  list.tag_share = static_cast<double>(tags) / static_cast<double>(printed.size());
  if (numbers * 2 >= printed.size()) {
    list.style = ReferenceStyle::numeric;
    set_numbers(printed, list);
  } else if (tags * 2 >= printed.size()) {
    list.style = ReferenceStyle::alpha;
  } else {
    list.style = ReferenceStyle::author_year;
  }
  for (auto& entry : printed) list.entries.push_back(entry_of(std::move(entry)));
  return list;
}

}  // namespace mustcite::extract::nougat
