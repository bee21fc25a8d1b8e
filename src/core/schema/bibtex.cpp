#include "core/schema/bibtex.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "core/text/normalise.hpp"

namespace mustcite {
namespace {

struct VenueName {
  std::string_view shorthand;
  std::string_view name;
  bool journal;
};

/// Printed names of the venues that mustcite collects; others are printed as they are.
constexpr std::array<VenueName, 20> kVenues{{
    {"neurips", "Advances in Neural Information Processing Systems", false},
    {"icml", "International Conference on Machine Learning", false},
    {"iclr", "International Conference on Learning Representations", false},
    {"aaai", "AAAI Conference on Artificial Intelligence", false},
    {"ijcai", "International Joint Conference on Artificial Intelligence", false},
    {"aistats", "International Conference on Artificial Intelligence and Statistics", false},
    {"uai", "Conference on Uncertainty in Artificial Intelligence", false},
    {"colt", "Conference on Learning Theory", false},
    {"corl", "Conference on Robot Learning", false},
    {"cvpr", "IEEE/CVF Conference on Computer Vision and Pattern Recognition", false},
    {"iccv", "IEEE/CVF International Conference on Computer Vision", false},
    {"eccv", "European Conference on Computer Vision", false},
    {"acl", "Annual Meeting of the Association for Computational Linguistics", false},
    {"emnlp", "Conference on Empirical Methods in Natural Language Processing", false},
    {"naacl", "Conference of the North American Chapter of the Association for Computational Linguistics",
     false},
    {"jmlr", "Journal of Machine Learning Research", true},
    {"tmlr", "Transactions on Machine Learning Research", true},
    {"tacl", "Transactions of the Association for Computational Linguistics", true},
    {"arxiv", "arXiv", true},
    {"midl", "Medical Imaging with Deep Learning", false},
}};

const VenueName* known_venue(const std::string& venue) {
  const auto found =
      std::find_if(kVenues.begin(), kVenues.end(), [&](const VenueName& v) { return v.shorthand == venue; });
  return found == kVenues.end() ? nullptr : &*found;
}

bool is_small_word(std::string_view word) {
  constexpr std::array<std::string_view, 16> words{"a",   "an",   "the",  "on",     "of", "in",
                                                   "for", "to",   "is",   "do",     "at", "and",
                                                   "how", "what", "with", "towards"};
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string only_ascii_letters(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) result.push_back(c);
  }
  return result;
}

std::string first_word(const std::string& title) {
  const std::string folded = text::fold(title);
  std::string fallback;
  for (std::size_t at = 0; at < folded.size();) {
    const std::size_t end = std::min(folded.find_first_of(" :,-/", at), folded.size());
    const std::string word = only_ascii_letters(std::string_view(folded).substr(at, end - at));
    if (!word.empty() && !is_small_word(word)) return word;
    if (fallback.empty()) fallback = word;
    at = end + 1;
  }
  return fallback;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
      case '%':
      case '#':
      case '_':
      case '$':
        out.push_back('\\');
        out.push_back(c);
        break;
      case '{':
        out.append("\\textbraceleft{}");
        break;
      case '}':
        out.append("\\textbraceright{}");
        break;
      case '~':
        out.append("\\textasciitilde{}");
        break;
      case '^':
        out.append("\\textasciicircum{}");
        break;
      case '\\':
        out.append("\\textbackslash{}");
        break;
      default:
        out.push_back(c);
    }
  }
  return out;
}

bool upper(char c) noexcept {
  return c >= 'A' && c <= 'Z';
}

/// Styles lower titles: words with a capital after their first letter ("BERT", "ResNet") are protected.
std::string protected_word(std::string_view word) {
  const bool inner_capital = word.size() > 1 && std::any_of(word.begin() + 1, word.end(), upper);
  return inner_capital ? "{" + escaped(word) + "}" : escaped(word);
}

std::string title_words(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    out += protected_word(text.substr(at, end - at));
    if (end < text.size()) out.push_back(' ');
    at = end + 1;
  }
  return out;
}

bool balanced(std::string_view text) {
  int depth = 0;
  for (const char c : text) {
    depth += c == '{' ? 1 : c == '}' ? -1 : 0;
    if (depth < 0) return false;
  }
  return depth == 0;
}

/// Words escaped, maths between dollars kept when it is closed and its braces match.
std::string title_value(const std::string& title) {
  std::string out;
  std::size_t at = 0;
  while (at < title.size()) {
    const std::size_t open = title.find('$', at);
    const std::size_t close = open == std::string::npos ? open : title.find('$', open + 1);
    if (close == std::string::npos) break;
    const std::string_view maths = std::string_view(title).substr(open, close - open + 1);
    if (!balanced(maths) || maths.size() == 2) break;
    out += title_words(std::string_view(title).substr(at, open - at));
    out += maths;
    at = close + 1;
  }
  return out + title_words(std::string_view(title).substr(at));
}

/// A name that holds " and " or a comma is one name all the same.
std::string author_value(const std::vector<std::string>& authors) {
  std::string out;
  for (const std::string& author : authors) {
    if (!out.empty()) out += " and ";
    const bool group = author.find(',') != std::string::npos || author.find(" and ") != std::string::npos;
    out += group ? "{" + escaped(author) + "}" : escaped(author);
  }
  return out;
}

void append(std::string& out, std::string_view name, const std::string& value) {
  if (!value.empty()) out.append("  ").append(name).append(" = {").append(value).append("},\n");
}

/// Addresses are printed as they are; braces would end the value.
std::string address(std::string_view url) {
  std::string out;
  for (const char c : url) {
    if (c == '{') {
      out += "%7B";
    } else if (c == '}') {
      out += "%7D";
    } else {
      out.push_back(c);
    }
  }
  return out;
}

std::string entry_with_key(const Paper& paper, const std::string& key) {
  const VenueName* venue = known_venue(paper.venue);
  const std::string venue_name = venue != nullptr ? std::string(venue->name) : escaped(paper.venue);
  const bool journal = venue != nullptr && venue->journal;
  std::string out = paper.venue.empty() ? "@misc{" : journal ? "@article{" : "@inproceedings{";
  out += key + ",\n";
  append(out, "title", title_value(paper.title));
  append(out, "author", author_value(paper.authors));
  append(out, journal ? "journal" : "booktitle", venue_name);
  if (paper.date.year != 0) append(out, "year", std::to_string(paper.date.year));
  append(out, "doi", address(paper.doi));
  append(out, "eprint", address(paper.arxiv_id));
  if (!paper.arxiv_id.empty()) append(out, "archiveprefix", "arXiv");
  append(out, "url", address(paper.url));
  return out + "}\n";
}

/// "10.1/x" of "https://doi.org/10.1/x".
std::string bare_doi(const std::string& doi) {
  const std::size_t at = doi.find("10.");
  return at == std::string::npos ? std::string() : text::to_lower(doi.substr(at));
}

/// "1706.03762" in a journal line such as "arXiv preprint arXiv:1706.03762".
std::string arxiv_in(const std::string& value) {
  const std::string lower = text::to_lower(value);
  for (const std::string_view mark : {"arxiv:", "arxiv.org/abs/", "arxiv.org/pdf/"}) {
    const std::size_t at = lower.find(mark);
    if (at == std::string::npos) continue;
    std::size_t begin = at + mark.size();
    while (begin < value.size() && value[begin] == ' ') ++begin;
    std::size_t end = begin;
    while (end < value.size() &&
           std::string_view("0123456789./-abcdefghijklmnopqrstuvwxyz").find(lower[end]) !=
               std::string_view::npos)
      ++end;
    std::string id = lower.substr(begin, end - begin);
    if (id.ends_with(".pdf")) id.resize(id.size() - 4);
    while (!id.empty() && (id.back() == '.' || id.back() == '-')) id.pop_back();
    if (!id.empty()) return id;
  }
  return {};
}

}  // namespace

std::string bibtex_key(const Paper& paper) {
  const std::string family =
      paper.authors.empty() ? "" : only_ascii_letters(text::family_name(paper.authors.front()));
  const std::string year = paper.date.year == 0 ? "" : std::to_string(paper.date.year);
  const std::string key = family + year + first_word(paper.title);
  return key.empty() ? "paper" : key;
}

std::string to_bibtex(const Paper& paper) {
  return entry_with_key(paper, bibtex_key(paper));
}

std::string to_bibtex(std::span<const Paper> papers) {
  std::map<std::string, int> uses;
  for (const Paper& paper : papers) ++uses[bibtex_key(paper)];
  std::map<std::string, int> given;
  std::string out;
  for (const Paper& paper : papers) {
    std::string key = bibtex_key(paper);
    if (uses[key] > 1) {
      const int index = given[key]++;
      key += index < 26 ? std::string(1, static_cast<char>('a' + index)) : "-" + std::to_string(index + 1);
    }
    out += entry_with_key(paper, key) + "\n";
  }
  return out;
}

Reference reference_from_bibtex(const text::BibEntry& entry) {
  Reference reference;
  reference.key = entry.key;
  reference.title = text::clean_title(entry.text("title"));
  reference.authors = entry.people("author");
  if (reference.authors.empty()) reference.authors = entry.people("editor");
  reference.year = entry.year();
  for (const char* name :
       {"booktitle", "journal", "journaltitle", "publisher", "howpublished", "school", "institution"}) {
    if (reference.venue.empty()) reference.venue = entry.text(name);
  }
  reference.doi = bare_doi(entry.verbatim("doi"));
  reference.url = entry.verbatim("url");
  const std::string kind = text::to_lower(entry.text("archiveprefix") + entry.text("eprinttype"));
  if (kind.find("arxiv") != std::string::npos) reference.arxiv_id = text::to_lower(entry.verbatim("eprint"));
  for (const char* name : {"journal", "url", "note", "eprint", "howpublished"}) {
    if (reference.arxiv_id.empty()) reference.arxiv_id = arxiv_in(entry.verbatim(name));
  }
  return reference;
}

}  // namespace mustcite
