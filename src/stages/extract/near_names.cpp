#include "stages/extract/near_names.hpp"

#include <algorithm>

#include "stages/extract/reference_names.hpp"

namespace mustcite::extract {
namespace {

/// Equal but for one letter that is another, missing or in excess.
bool within_one_letter(const std::string& a, const std::string& b) {
  const std::string& less = a.size() <= b.size() ? a : b;
  const std::string& more = a.size() <= b.size() ? b : a;
  if (less.size() < 5 || more.size() - less.size() > 1) return false;
  std::size_t same = 0;
  while (same < less.size() && less[same] == more[same]) ++same;
  const std::size_t skipped = less.size() == more.size() ? same + 1 : same;
  return same == less.size() || less.compare(skipped, std::string::npos, more, same + 1) == 0;
}

/// Words of the part of an entry that holds its authors, folded like surnames.
std::vector<std::string> head_words(std::string_view raw) {
  std::vector<std::string> words;
  raw = raw.substr(0, 120);
  while (!raw.empty() && words.size() < 12) {
    const std::size_t space = std::min(raw.find(' '), raw.size());
    std::string_view word = raw.substr(0, space);
    raw.remove_prefix(std::min(raw.size(), space + 1));
    // Behind a year or a quotation mark the title begins.
    if (word.find_first_of("0123456789\"") != std::string_view::npos || word.starts_with("“")) break;
    while (!word.empty() && std::string_view(".,;:&").find(word.back()) != std::string_view::npos)
      word.remove_suffix(1);
    if (std::string key = surname_key(word); key.size() >= 2) words.push_back(std::move(key));
  }
  return words;
}

}  // namespace

bool nearly_agree(const PrintedNames& printed, const ReferenceEntry& entry) {
  if (printed.names.empty() || printed.names.front().size() < 3) return false;
  const auto& surnames = entry.surnames;
  const std::size_t wanted = printed.names.size();
  const bool counts = printed.et_al ? surnames.size() >= 2 : surnames.size() == wanted;
  if (counts && surnames.size() >= wanted) {
    std::size_t slips = 0;
    bool alike = true;
    for (std::size_t i = 0; i < wanted && alike; ++i) {
      if (printed.names[i] == surnames[i]) continue;
      ++slips;
      alike = within_one_letter(printed.names[i], surnames[i]);
    }
    if (alike && slips == 1) return true;
  }
  // One name alone says too little about a head that was not understood.
  if (wanted < 2 && !printed.et_al) return false;
  const auto head = head_words(entry.fields.raw);
  const auto first = std::find(head.begin(), head.end(), printed.names.front());
  if (first == head.end() || first - head.begin() > 2) return false;
  return wanted < 2 || std::find(first + 1, head.end(), printed.names.back()) != head.end();
}

}  // namespace mustcite::extract
