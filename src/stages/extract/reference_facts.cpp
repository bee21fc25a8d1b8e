#include "stages/extract/reference_facts.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <utility>

#include "core/text/normalise.hpp"
#include "core/text/unicode.hpp"
#include "stages/extract/reference_names.hpp"

namespace mustcite::extract {
namespace {

struct CueWord {
  std::string_view word;
  Cue cue;
};

constexpr auto kCues = [] {
  std::array words{CueWord{"proceedings", Cue::proceedings},
                   CueWord{"proc", Cue::proceedings},
                   CueWord{"conference", Cue::proceedings},
                   CueWord{"conf", Cue::proceedings},
                   CueWord{"symposium", Cue::proceedings},
                   CueWord{"symp", Cue::proceedings},
                   CueWord{"workshop", Cue::proceedings},
                   CueWord{"workshops", Cue::proceedings},
                   CueWord{"advances", Cue::proceedings},
                   CueWord{"lecture", Cue::proceedings},
                   CueWord{"notes", Cue::proceedings},
                   CueWord{"meeting", Cue::proceedings},
                   CueWord{"congress", Cue::proceedings},
                   CueWord{"annual", Cue::proceedings},
                   CueWord{"international", Cue::proceedings},
                   CueWord{"intl", Cue::proceedings},
                   CueWord{"handbook", Cue::proceedings},
                   CueWord{"encyclopedia", Cue::proceedings},
                   CueWord{"journal", Cue::journal},
                   CueWord{"j", Cue::journal},
                   CueWord{"jour", Cue::journal},
                   CueWord{"trans", Cue::journal},
                   CueWord{"transactions", Cue::journal},
                   CueWord{"letters", Cue::journal},
                   CueWord{"lett", Cue::journal},
                   CueWord{"rev", Cue::journal},
                   CueWord{"review", Cue::journal},
                   CueWord{"reviews", Cue::journal},
                   CueWord{"annals", Cue::journal},
                   CueWord{"ann", Cue::journal},
                   CueWord{"magazine", Cue::journal},
                   CueWord{"bulletin", Cue::journal},
                   CueWord{"archives", Cue::journal},
                   CueWord{"acta", Cue::journal},
                   CueWord{"phys", Cue::journal},
                   CueWord{"sci", Cue::journal},
                   CueWord{"acad", Cue::journal},
                   CueWord{"natl", Cue::journal},
                   CueWord{"nature", Cue::journal},
                   CueWord{"quarterly", Cue::journal},
                   CueWord{"press", Cue::publisher},
                   CueWord{"springer", Cue::publisher},
                   CueWord{"elsevier", Cue::publisher},
                   CueWord{"wiley", Cue::publisher},
                   CueWord{"verlag", Cue::publisher},
                   CueWord{"publishers", Cue::publisher},
                   CueWord{"publishing", Cue::publisher},
                   CueWord{"kluwer", Cue::publisher},
                   CueWord{"curran", Cue::publisher},
                   CueWord{"omnipress", Cue::publisher},
                   CueWord{"pmlr", Cue::publisher},
                   CueWord{"sons", Cue::publisher},
                   CueWord{"inc", Cue::publisher},
                   CueWord{"ltd", Cue::publisher},
                   CueWord{"ieee", Cue::publisher},
                   CueWord{"acm", Cue::publisher},
                   CueWord{"kaufmann", Cue::publisher},
                   CueWord{"usenix", Cue::publisher},
                   CueWord{"routledge", Cue::publisher},
                   CueWord{"mcgraw", Cue::publisher},
                   CueWord{"ed", Cue::editor},
                   CueWord{"eds", Cue::editor},
                   CueWord{"editor", Cue::editor},
                   CueWord{"editors", Cue::editor},
                   CueWord{"edited", Cue::editor},
                   CueWord{"hrsg", Cue::editor},
                   CueWord{"phd", Cue::report},
                   CueWord{"thesis", Cue::report},
                   CueWord{"dissertation", Cue::report},
                   CueWord{"master", Cue::report},
                   CueWord{"masters", Cue::report},
                   CueWord{"technical", Cue::report},
                   CueWord{"report", Cue::report},
                   CueWord{"tech", Cue::report},
                   CueWord{"rep", Cue::report},
                   CueWord{"memo", Cue::report},
                   CueWord{"manuscript", Cue::report},
                   CueWord{"pp", Cue::page},
                   CueWord{"page", Cue::page},
                   CueWord{"pages", Cue::page},
                   CueWord{"p", Cue::page},
                   CueWord{"pg", Cue::page},
                   CueWord{"vol", Cue::volume},
                   CueWord{"volume", Cue::volume},
                   CueWord{"no", Cue::volume},
                   CueWord{"number", Cue::volume},
                   CueWord{"issue", Cue::volume},
                   CueWord{"january", Cue::month},
                   CueWord{"february", Cue::month},
                   CueWord{"march", Cue::month},
                   CueWord{"april", Cue::month},
                   CueWord{"may", Cue::month},
                   CueWord{"june", Cue::month},
                   CueWord{"july", Cue::month},
                   CueWord{"august", Cue::month},
                   CueWord{"september", Cue::month},
                   CueWord{"october", Cue::month},
                   CueWord{"november", Cue::month},
                   CueWord{"december", Cue::month},
                   CueWord{"jan", Cue::month},
                   CueWord{"feb", Cue::month},
                   CueWord{"mar", Cue::month},
                   CueWord{"apr", Cue::month},
                   CueWord{"jun", Cue::month},
                   CueWord{"jul", Cue::month},
                   CueWord{"aug", Cue::month},
                   CueWord{"sep", Cue::month},
                   CueWord{"sept", Cue::month},
                   CueWord{"oct", Cue::month},
                   CueWord{"nov", Cue::month},
                   CueWord{"dec", Cue::month},
                   CueWord{"university", Cue::institution},
                   CueWord{"univ", Cue::institution},
                   CueWord{"institute", Cue::institution},
                   CueWord{"department", Cue::institution},
                   CueWord{"dept", Cue::institution},
                   CueWord{"school", Cue::institution},
                   CueWord{"laboratory", Cue::institution},
                   CueWord{"college", Cue::institution},
                   CueWord{"center", Cue::institution},
                   CueWord{"centre", Cue::institution},
                   CueWord{"arxiv", Cue::preprint},
                   CueWord{"corr", Cue::preprint},
                   CueWord{"biorxiv", Cue::preprint},
                   CueWord{"preprint", Cue::preprint},
                   CueWord{"preprints", Cue::preprint},
                   CueWord{"eprint", Cue::preprint},
                   CueWord{"available", Cue::link},
                   CueWord{"url", Cue::link},
                   CueWord{"retrieved", Cue::link},
                   CueWord{"accessed", Cue::link},
                   CueWord{"doi", Cue::link},
                   CueWord{"online", Cue::link},
                   CueWord{"in", Cue::in},
                   CueWord{"and", Cue::join},
                   CueWord{"et", Cue::join},
                   CueWord{"al", Cue::join},
                   CueWord{"und", Cue::join}};
  std::sort(words.begin(), words.end(), [](const CueWord& a, const CueWord& b) { return a.word < b.word; });
  return words;
}();

/// Marks that part chunks.
bool parts_chunks(char mark) {
  return mark != 0 && std::string_view(",;:()[]{}\"").find(mark) != std::string_view::npos;
}

char mark_of(std::string_view character) {
  for (const std::string_view quote : {"“", "”", "„", "‟", "«", "»", "\"", "‘", "’’", "``"}) {
    if (character == quote) return '"';
  }
  if (character == "–" || character == "—" || character == "−" || character == "‐") return '-';
  if (character == "’" || character == "`") return '\'';
  return character.size() == 1 ? character[0] : '*';
}

/// One letter a run of capitals, small letters or digits; short words are told from long ones.
std::uint32_t shape_of(std::string_view text, TokenKind kind) {
  if (kind == TokenKind::address) return 1;
  if (kind == TokenKind::identifier) return 2;
  if (kind == TokenKind::number)
    return 10 + static_cast<std::uint32_t>(std::min<std::size_t>(text.size(), 6));
  std::uint32_t letters = 0;
  std::uint32_t capitals = 0;
  bool first = false;
  for (std::size_t at = 0; at < text.size();) {
    const char32_t code = text::decode(text, at);
    if (code == text::kMalformed || text::is_mark(code)) continue;
    const bool upper = text::is_upper(code);
    if (letters == 0) first = upper;
    capitals += upper ? 1 : 0;
    ++letters;
  }
  const std::uint32_t size = letters == 1 ? 0 : letters <= 3 ? 1 : letters <= 6 ? 2 : 3;
  const std::uint32_t cased = capitals == 0 ? 0 : capitals == letters ? 1 : first && capitals == 1 ? 2 : 3;
  return 20 + 4 * cased + size;
}

std::string folded(std::string_view text) {
  if (!text::is_ascii(text)) return text::fold(text);
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

bool is_year(std::string_view text) {
  return text.size() == 4 && (text.starts_with("19") || text.starts_with("20") || text.starts_with("18"));
}

TokenFacts facts_of(std::string_view raw, const ReferenceToken& token, const NameWords& names) {
  TokenFacts facts;
  const std::string_view text = raw.substr(token.begin, token.end - token.begin);
  facts.space = token.space_before;
  if (token.kind == TokenKind::punctuation) {
    facts.mark = mark_of(text);
    facts.word = 0x1000000U + static_cast<unsigned char>(facts.mark);
    facts.shape = 100 + static_cast<unsigned char>(facts.mark);
    return facts;
  }
  facts.shape = shape_of(text, token.kind);
  if (token.kind == TokenKind::number) {
    facts.year = is_year(text);
    facts.word = facts.year ? 3 : word_hash(text);
    if (facts.year) facts.shape = 17;
    return facts;
  }
  if (token.kind != TokenKind::word) {
    facts.word = facts.shape;
    return facts;
  }
  const std::string lower = folded(text);
  facts.word_token = true;
  facts.word = word_hash(lower);
  for (std::size_t i = 0; i < 3; ++i) {
    if (lower.size() < i + 3) break;
    facts.prefixes[i] = word_hash(std::string_view(lower).substr(0, i + 2));
    facts.suffixes[i] = word_hash(std::string_view(lower).substr(lower.size() - i - 2));
  }
  facts.use = names.use(lower);
  facts.cue = cue_of(lower);
  const std::uint32_t cased = (facts.shape - 20) / 4;
  facts.capital = cased != 0;
  facts.initial = cased == 1 && (facts.shape - 20) % 4 <= 1 && facts.cue == Cue::none;
  return facts;
}

void count(Stretch& stretch, const TokenFacts& token) {
  stretch.year = stretch.year || token.year;
  stretch.number = stretch.number || (!token.word_token && token.mark == 0);
  stretch.cues |= token.cue == Cue::none ? 0U : 1U << static_cast<unsigned>(token.cue);
  if (!token.word_token) return;
  ++stretch.words;
  if (!token.capital && token.cue != Cue::join && token.use != NameWords::Use::name) ++stretch.small;
  if (token.initial ||
      (token.capital && (token.use == NameWords::Use::name || token.use == NameWords::Use::mostly_name)))
    ++stretch.names;
}

/// Does the stop at `i` end something? Not behind initials and short abbreviations before a small letter or a
/// comma.
bool ends_sentence(const std::vector<TokenFacts>& tokens, std::size_t i) {
  const char mark = tokens[i].mark;
  if (mark == '"' || mark == '?' || mark == '!') return true;
  if (mark != '.' || i == 0) return false;
  const TokenFacts& before = tokens[i - 1];
  if (before.initial) return false;
  if (i + 1 >= tokens.size()) return true;
  const TokenFacts& behind = tokens[i + 1];
  if (!behind.space) return false;
  if (before.word_token && before.cue == Cue::journal && before.prefixes[2] == 0) return false;
  return behind.capital || behind.mark != ',' || behind.year;
}

template <typename Parts>
std::vector<Stretch> stretches(const std::vector<TokenFacts>& tokens, std::vector<std::uint16_t>& stretch_of,
                               const Parts& parts) {
  std::vector<Stretch> result(1);
  stretch_of.resize(tokens.size());
  for (std::uint32_t i = 0; i < tokens.size(); ++i) {
    stretch_of[i] = static_cast<std::uint16_t>(result.size() - 1);
    count(result.back(), tokens[i]);
    result.back().end = i + 1;
    if (parts(i) && i + 1 < tokens.size()) {
      Stretch next;
      next.begin = next.end = i + 1;
      result.push_back(next);
    }
  }
  return result;
}

}  // namespace

Cue cue_of(std::string_view folded_word) noexcept {
  const auto found =
      std::lower_bound(kCues.begin(), kCues.end(), folded_word,
                       [](const CueWord& cue, std::string_view word) { return cue.word < word; });
  return found != kCues.end() && found->word == folded_word ? found->cue : Cue::none;
}

std::uint32_t Stretch::code() const noexcept {
  const std::uint32_t length = words <= 3 ? words : words <= 5 ? 4 : words <= 8 ? 5 : words <= 14 ? 6 : 7;
  const std::uint32_t low = small == 0 ? 0 : small * 3 < words ? 1 : 2;
  const std::uint32_t named = names == 0 ? 0 : names * 2 < words ? 1 : 2;
  return ((((length * 3 + low) * 3 + named) * 2 + (year ? 1 : 0)) * 2 + (number ? 1 : 0));
}

ReferenceFacts reference_facts(std::string_view raw, std::span<const ReferenceToken> tokens,
                               const NameWords& names) {
  ReferenceFacts facts;
  facts.tokens.reserve(tokens.size());
  for (const auto& token : tokens) facts.tokens.push_back(facts_of(raw, token, names));
  if (tokens.empty()) return facts;
  const auto& list = facts.tokens;
  facts.chunks = stretches(list, facts.chunk_of, [&](std::uint32_t i) {
    return parts_chunks(list[i].mark) || (list[i].mark == '.' && i > 0 && !list[i - 1].initial) ||
           ends_sentence(list, i);
  });
  facts.sentences =
      stretches(list, facts.sentence_of, [&](std::uint32_t i) { return ends_sentence(list, i); });
  const std::size_t end = authors_end(raw);
  while (facts.author_tokens < tokens.size() && tokens[facts.author_tokens].begin < end)
    ++facts.author_tokens;
  for (std::uint32_t i = 0; i < list.size() && facts.style == 0; ++i) {
    if (list[i].year) facts.style = i <= facts.author_tokens + 3 ? 1 : 2;
  }
  const auto quotes =
      std::count_if(list.begin(), list.end(), [](const TokenFacts& token) { return token.mark == '"'; });
  if (quotes >= 2) facts.style += 3;
  return facts;
}

}  // namespace mustcite::extract
