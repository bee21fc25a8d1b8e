#include "stages/link/link.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "core/text/identifiers.hpp"
#include "core/text/normalise.hpp"
#include "stages/link/link_index.hpp"
#include "stages/link/similarity.hpp"
#include "stages/link/venue.hpp"

namespace mustcite::link {
namespace {

constexpr std::size_t kNearRows = 12;
/// An exact title with this probability needs no look at titles that are only alike.
constexpr double kSure = 0.98;

double probability_of(double log_odds) {
  return 1.0 / (1.0 + std::exp(-log_odds));
}

/// The reference prepared for comparing.
struct Query {
  std::string title;
  std::string key;
  std::vector<std::string> words;
  double information = 0;
  std::vector<std::vector<std::uint32_t>> authors;  ///< words of each family name
  std::string venue;
  int year = 0;
};

Query prepare(const Reference& reference, const LinkIndex::Impl& index) {
  Query query;
  query.title = bare_title(reference.title);
  query.key = text::title_key(query.title);
  query.words = title_words(query.title);
  query.information = index.information(query.words);
  for (std::size_t i = 0; i < std::min<std::size_t>(reference.authors.size(), 12); ++i) {
    std::vector<std::uint32_t> words;
    add_name_words(text::family_name(reference.authors[i]), words);
    if (!words.empty()) query.authors.push_back(std::move(words));
  }
  query.venue = venue_name(reference.venue);
  query.year = reference.year;
  return query;
}

/// A family name is found when its last word is a word of the record's names: catalogs turn names round.
Authors compare_authors(const Query& query, const LinkIndex::Impl& index, std::uint32_t row) {
  const auto [begin, end] = index.names.list(row);
  if (begin == end || query.authors.empty()) return Authors::unknown;
  const auto* first_end = std::find(begin, end, 0U);
  const std::unordered_set<std::uint32_t> all(begin, end);
  std::size_t found = 0;
  bool first = false;
  for (std::size_t i = 0; i < query.authors.size(); ++i) {
    const std::uint32_t family = query.authors[i].back();
    found += all.contains(family) ? 1 : 0;
    if (i == 0) first = std::find(begin, first_end, family) != first_end;
  }
  if (found == 0) return Authors::disagree;
  if ((first && 2 * found >= query.authors.size()) || found == query.authors.size()) return Authors::agree;
  return Authors::partly;
}

double author_odds(Authors authors) {
  switch (authors) {
    case Authors::agree:
      return 4;
    case Authors::partly:
      return 0.5;
    case Authors::disagree:
      return -5;
    case Authors::unknown:
      break;
  }
  return 0;
}

/// Preprint and proceedings lie up to some years apart; a decade is another work.
double year_odds(int gap, bool known) {
  if (!known) return 0;
  switch (std::abs(gap)) {
    case 0:
      return 1;
    case 1:
      return 0.6;
    case 2:
      return 0.2;
    case 3:
      return -0.4;
    default:
      return std::abs(gap) < 8 ? -1.5 : -2.5;
  }
}

/// Log-odds of the titles alone. The weights are set by hand: a title of ordinary length that is equal letter
/// for letter decides by itself (+4 or more), a short one ("Deep learning") needs an author or a year.
double title_odds(const Query& query, const LinkIndex::Impl& index, Candidate& candidate,
                  std::string_view title) {
  const std::string_view key = index.keys.at(candidate.row);
  if (!key.empty() && key == query.key) {
    candidate.title_similarity = 1;
    candidate.rule = Rule::exact_title;
    return std::clamp(1.0 + 0.35 * (query.information - 6.0), -2.0, 6.0);
  }
  if (key.empty() || query.key.empty()) return -20;
  const auto words = title_words(title);
  const WordDifference difference = word_difference(query.words, words);
  candidate.title_similarity =
      difference.shared < 0.4 ? 0 : std::max(edit_similarity(query.key, key), 0.97 * difference.shared);
  double odds = -20;
  if (candidate.title_similarity >= 0.7) {
    candidate.rule = Rule::near_title;
    odds = std::clamp((candidate.title_similarity - 0.9) * 50.0, -6.0, 4.0) +
           std::clamp(query.information / 10.0, 0.0, 2.5) - 1.0;
    odds -= 2.5 * static_cast<double>(difference.replaced) + 1.0 * static_cast<double>(difference.added);
    if (difference.numbering) odds -= 12;
  }
  // One title has a subtitle more, or a series name before it: the part they share must tell enough.
  const bool longer = query.key.size() > key.size();
  const TitleParts parts = title_parts(longer ? std::string_view(query.title) : title);
  const std::string_view other = longer ? key : std::string_view(query.key);
  if (text::title_key(parts.first) == other || text::title_key(parts.last) == other) {
    const double shared = longer ? index.information(words) : query.information;
    const double start = std::clamp(-2.5 + 0.2 * (shared - 6.0), -4.0, 1.5);
    if (start > odds) {
      odds = start;
      candidate.rule = Rule::title_start;
    }
  }
  return odds;
}

class Linker {
 public:
  Linker(const LinkIndex& index, const LinkIndex::Impl& impl, const Options& options)
      : index_(index), impl_(impl), options_(options) {}

  Decision link(const Reference& reference) {
    query_ = prepare(reference, impl_);
    by_identifier(reference);
    by_title();
    if (best() < options_.link_at && !reference.raw.empty()) by_printed_text(reference);
    return decide();
  }

 private:
  [[nodiscard]] double best() const {
    double most = 0;
    for (const auto& candidate : candidates_) most = std::max(most, candidate.probability);
    return most;
  }

  void score(std::uint32_t row, double head_start, Rule rule) {
    for (const auto& known : candidates_) {
      if (known.row == row) return;
    }
    Candidate candidate;
    candidate.row = row;
    const Record record = index_.record(row);
    double odds = title_odds(query_, impl_, candidate, record.title);
    if (rule == Rule::identifier) {
      if (query_.key.empty()) {
        odds = 3;
      } else if (candidate.title_similarity < 0.5 && candidate.rule != Rule::title_start) {
        // The identifier is there, but it belongs to a paper of another title.
        decision_.identifier_row = row;
        return;
      } else {
        odds = std::max(odds, -1.0) + head_start;
      }
      candidate.rule = Rule::identifier;
    }
    if (odds < -8) return;
    candidate.authors = compare_authors(query_, impl_, row);
    const bool years = query_.year != 0 && record.year != 0;
    candidate.year_gap = years ? query_.year - record.year : 0;
    odds += author_odds(candidate.authors) + year_odds(candidate.year_gap, years);
    // Titles that are only alike need a name to speak for them.
    if (candidate.rule == Rule::near_title && candidate.authors == Authors::unknown &&
        candidate.title_similarity < 0.95)
      odds -= 1.5;
    // A title without its subtitle may as well be another work of the same field: all names and the year must
    // fit.
    if (candidate.rule == Rule::title_start) {
      if (candidate.authors != Authors::agree) odds -= 1.5;
      if (std::abs(candidate.year_gap) >= 3) odds -= 1;
    }
    if (!query_.venue.empty() && query_.venue == venue_name(record.venue)) odds += 0.5;
    candidate.probability = probability_of(odds);
    candidates_.push_back(candidate);
  }

  void by_identifier(const Reference& reference) {
    if (const std::string doi = text::plain_doi(reference.doi); !doi.empty()) {
      for (const auto row : impl_.rows_of(impl_.by_doi, hash_of(doi))) {
        if (impl_.dois.at(row) == doi) score(row, 5, Rule::identifier);
      }
    }
    if (const std::string id = text::plain_arxiv_id(reference.arxiv_id); !id.empty()) {
      for (const auto row : impl_.rows_of(impl_.by_arxiv, hash_of(id))) {
        if (impl_.arxiv_ids.at(row) == id) score(row, 5, Rule::identifier);
      }
    }
  }

  void by_title() {
    if (query_.key.empty()) return;
    auto exact = index_.rows_with_key(query_.key);
    if (exact.size() > 50) exact.resize(50);
    for (const auto row : exact) score(row, 0, Rule::exact_title);
    if (best() >= kSure) return;
    for (const auto row : impl_.near_rows(query_.words, kNearRows)) score(row, 0, Rule::near_title);
  }

  /// The parts of a printed reference could not be told, or wrongly: look for a catalog title inside it.
  void by_printed_text(const Reference& reference) {
    const std::string_view raw = std::string_view(reference.raw).substr(0, 1000);
    const std::string key = text::title_key(raw);
    const auto words = title_words(raw);
    std::unordered_set<std::uint32_t> printed;
    for (const auto& word : words)
      printed.insert(std::max<std::uint32_t>(1, static_cast<std::uint32_t>(hash_of(word))));
    for (const auto row : impl_.near_rows(words, 2 * kNearRows)) {
      const std::string_view title = impl_.keys.at(row);
      if (title.size() < 15 || key.find(title) == std::string::npos) continue;
      const Record record = index_.record(row);
      const double information = impl_.information(title_words(record.title));
      Candidate candidate;
      candidate.row = row;
      candidate.rule = Rule::printed_text;
      candidate.title_similarity = 1;
      double odds = std::clamp(-1.0 + 0.25 * (information - 8.0), -4.0, 4.0);
      const auto [begin, end] = impl_.names.list(row);
      if (begin != end) {
        const bool named = std::any_of(begin, std::find(begin, end, 0U),
                                       [&](std::uint32_t word) { return printed.contains(word); });
        candidate.authors = named ? Authors::agree : Authors::disagree;
      }
      const bool years = query_.year != 0 && record.year != 0;
      candidate.year_gap = years ? query_.year - record.year : 0;
      odds += author_odds(candidate.authors) + year_odds(candidate.year_gap, years);
      candidate.probability = probability_of(odds);
      std::erase_if(candidates_, [&](const Candidate& c) {
        return c.row == row && c.probability < candidate.probability;
      });
      if (std::none_of(candidates_.begin(), candidates_.end(),
                       [&](const Candidate& c) { return c.row == row; }))
        candidates_.push_back(candidate);
    }
  }

  /// Preprint and published version of one work: the same title, no contradicting authors, years not far
  /// apart.
  [[nodiscard]] bool same_work(std::uint32_t a, std::uint32_t b) const {
    const std::string_view key_a = impl_.keys.at(a);
    const std::string_view key_b = impl_.keys.at(b);
    const auto words_a = title_words(index_.record(a).title);
    const TitleParts parts_a = title_parts(index_.record(a).title);
    const TitleParts parts_b = title_parts(index_.record(b).title);
    const std::string last_a = text::title_key(parts_a.last);
    const bool same_last = !last_a.empty() && last_a == text::title_key(parts_b.last) &&
                           impl_.information(title_words(parts_a.last)) >= 10;
    if (key_a != key_b && !same_last) {
      if (edit_similarity(key_a, key_b) < 0.95) return false;
      const WordDifference difference = word_difference(words_a, title_words(index_.record(b).title));
      if (difference.numbering || difference.replaced > 0) return false;
    }
    const int year_a = impl_.years[a];
    const int year_b = impl_.years[b];
    if (year_a != 0 && year_b != 0 && std::abs(year_a - year_b) > 4) return false;
    const auto [begin_a, end_a] = impl_.names.list(a);
    const auto [begin_b, end_b] = impl_.names.list(b);
    if (begin_a == end_a || begin_b == end_b) {
      return impl_.information(words_a) >= 10 || (year_a == year_b && year_a != 0);
    }
    const std::unordered_set<std::uint32_t> names(begin_a, end_a);
    return std::any_of(begin_b, end_b, [&](std::uint32_t word) { return word != 0 && names.contains(word); });
  }

  Decision decide() {
    std::sort(candidates_.begin(), candidates_.end(), [](const Candidate& a, const Candidate& b) {
      return a.probability != b.probability ? a.probability > b.probability : a.row < b.row;
    });
    std::erase_if(candidates_, [&](const Candidate& c) { return c.probability < options_.mention_at; });
    if (candidates_.empty()) {
      decision_.why =
          query_.key.empty() ? "the reference has no title" : "no paper of the catalog has this title";
      return std::move(decision_);
    }
    const Candidate top = candidates_.front();
    std::vector<std::uint32_t> work{top.row};
    bool rival = false;
    for (std::size_t i = 1; i < candidates_.size(); ++i) {
      if (same_work(top.row, candidates_[i].row)) {
        work.push_back(candidates_[i].row);
      } else if (candidates_[i].probability >= options_.link_at ||
                 top.probability - candidates_[i].probability < 0.05) {
        rival = true;
      }
    }
    decision_.probability = top.probability;
    decision_.rule = top.rule;
    decision_.candidates.assign(candidates_.begin(),
                                candidates_.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                          candidates_.size(), options_.most_candidates)));
    // An exact title with agreeing authors is not in doubt because of a neighbour that only looks alike.
    const bool clear = top.rule == Rule::identifier ||
                       (top.title_similarity == 1 &&
                        std::none_of(candidates_.begin() + 1, candidates_.end(), [&](const Candidate& c) {
                          return c.title_similarity == 1 && c.probability >= options_.mention_at &&
                                 !same_work(top.row, c.row) && c.probability > top.probability - 0.2;
                        }));
    if (top.probability < options_.link_at || (rival && !clear)) {
      decision_.verdict = Verdict::ambiguous;
      decision_.why =
          top.probability < options_.link_at ? "the evidence does not suffice" : "several papers fit";
      return std::move(decision_);
    }
    decision_.verdict = Verdict::linked;
    std::stable_sort(work.begin(), work.end(), [&](std::uint32_t a, std::uint32_t b) {
      return is_preprint_venue(index_.record(a).venue) < is_preprint_venue(index_.record(b).venue);
    });
    decision_.row = work.front();
    decision_.versions = std::move(work);
    decision_.why = reason(top);
    return std::move(decision_);
  }

  static std::string reason(const Candidate& top) {
    std::string why = rule_name(top.rule);
    if (top.rule == Rule::near_title) why += fmt::format(" ({:.2f})", top.title_similarity);
    if (top.authors == Authors::agree) why += ", authors agree";
    if (top.authors == Authors::partly) why += ", some authors agree";
    if (top.authors == Authors::disagree) why += ", authors disagree";
    if (top.authors == Authors::unknown) why += ", authors unknown";
    if (top.year_gap != 0) why += fmt::format(", years {} apart", std::abs(top.year_gap));
    return why;
  }

  const LinkIndex& index_;
  const LinkIndex::Impl& impl_;
  const Options& options_;
  Query query_;
  std::vector<Candidate> candidates_;
  Decision decision_;
};

}  // namespace

const char* verdict_name(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::linked:
      return "linked";
    case Verdict::ambiguous:
      return "ambiguous";
    case Verdict::unresolved:
      break;
  }
  return "unresolved";
}

const char* rule_name(Rule rule) noexcept {
  switch (rule) {
    case Rule::identifier:
      return "same identifier";
    case Rule::exact_title:
      return "same title";
    case Rule::near_title:
      return "nearly the same title";
    case Rule::title_start:
      return "same title up to a subtitle";
    case Rule::printed_text:
      return "title found in the printed reference";
    case Rule::none:
      break;
  }
  return "no rule";
}

Decision LinkIndex::link(const Reference& reference, const Options& options) const {
  return Linker(*this, *impl_, options).link(reference);
}

}  // namespace mustcite::link
