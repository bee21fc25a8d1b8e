#include "apps/cli/answer_view.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "apps/cli/table.hpp"
#include "core/schema/bibtex.hpp"

namespace mustcite::cli {
namespace {

using Json = nlohmann::ordered_json;
using recommend::Account;
using recommend::Answer;
using recommend::Row;

constexpr std::size_t kVenuesShown = 6;
constexpr std::size_t kReasonsShown = 3;

std::string authors_text(const Paper& paper) {
  if (paper.authors.empty()) return "authors unknown";
  if (paper.authors.size() == 1) return paper.authors[0];
  if (paper.authors.size() == 2) return paper.authors[0] + " and " + paper.authors[1];
  return fmt::format("{}, {} and {} more", paper.authors[0], paper.authors[1], paper.authors.size() - 2);
}

std::string where_text(const Paper& paper) {
  std::string text = paper.venue;
  if (paper.date.known()) text += (text.empty() ? "" : " ") + std::to_string(paper.date.year);
  return text.empty() ? "venue and year unknown" : text;
}

std::string coverage_text(const Answer& answer) {
  const auto& coverage = answer.coverage;
  std::string text = fmt::format("catalog: {} papers", coverage.documents);
  if (coverage.first_year != 0) {
    text += coverage.first_year == coverage.last_year ? fmt::format(" of {}", coverage.first_year)
                                                      : fmt::format(" of {} to {}", coverage.first_year, coverage.last_year);
  }
  if (!coverage.venues.empty()) {
    text += " from ";
    for (std::size_t i = 0; i < std::min(kVenuesShown, coverage.venues.size()); ++i) {
      text += (i > 0 ? ", " : "") + coverage.venues[i].venue;
    }
    if (coverage.venues.size() > kVenuesShown) text += ", …";
  }
  if (!coverage.newest_title.empty()) text += fmt::format("; newest: {}", coverage.newest_title);
  return text;
}

std::string terms_text(const Row& row) {
  std::string text;
  for (const auto& share : row.terms) text += (text.empty() ? "" : ", ") + share.term;
  return text;
}

/// How much the paper is worth: the learned ranker's probability and role, or a method's score.
std::string worth_text(const Row& row) {
  if (row.probability.empty()) return fmt::format("score {:.3f}", row.score);
  std::string text;
  for (const auto& [tier, probability] : row.probability) {
    if (tier == Tier::must) text = fmt::format("must-cite {:.0f} %", 100 * probability);
  }
  if (text.empty()) text = fmt::format("score {:.3f}", row.score);
  if (!row.role.empty()) text += ", likely " + row.role;
  return text;
}

}  // namespace

std::string answer_table(const Answer& answer, std::size_t width) {
  std::string text;
  std::size_t rank = 0;
  for (const auto& row : answer.rows) {
    const std::string number = fmt::format("{:>3}  ", ++rank);
    const std::size_t margin = number.size();
    const std::string title = wrap(row.paper.title, width, margin);
    text += number + title.substr(std::min(margin, title.size()));
    text += wrap(fmt::format("{} · {} · {}", authors_text(row.paper), where_text(row.paper), worth_text(row)), width, margin);
    for (std::size_t i = 0; i < std::min(kReasonsShown, row.reasons.size()); ++i) {
      text += wrap("- " + row.reasons[i], width, margin);
    }
    if (row.reasons.empty() && !row.terms.empty()) text += wrap("shared terms: " + terms_text(row), width, margin);
    if (!row.evidence.empty()) text += wrap(row.evidence, width, margin);
    if (!row.paper.url.empty()) text += std::string(margin, ' ') + row.paper.url + "\n";
  }
  if (answer.rows.empty()) text += "nothing found\n";
  text += "\n" + wrap(fmt::format("method: {}{}", answer.method,
                                  answer.before ? fmt::format(", papers before {}", format_date(*answer.before)) : ""),
                      width, 0);
  if (!answer.reranker.empty())
    text += wrap(fmt::format("reranked: the first {} by {}", answer.rerank_depth, answer.reranker), width, 0);
  text += wrap(coverage_text(answer), width, 0);
  if (answer.known > 0) {
    text += wrap(fmt::format("cited already: {}, of which the catalog knows {}", answer.known, answer.known_found), width, 0);
  }
  for (const auto& note : answer.notes) text += wrap("note: " + note, width, 0);
  return text;
}

std::string answer_json(const Answer& answer) {
  Json json;
  json["method"] = answer.method;
  if (!answer.reranker.empty()) json["reranked"] = {{"by", answer.reranker}, {"depth", answer.rerank_depth}};
  if (answer.before) json["before"] = format_date(*answer.before);
  Json coverage;
  coverage["documents"] = answer.coverage.documents;
  coverage["first_year"] = answer.coverage.first_year;
  coverage["last_year"] = answer.coverage.last_year;
  coverage["newest_title"] = answer.coverage.newest_title;
  coverage["venues"] = Json::array();
  for (const auto& venue : answer.coverage.venues) {
    coverage["venues"].push_back({{"venue", venue.venue}, {"documents", venue.documents}});
  }
  coverage["known"] = answer.known;
  coverage["known_found"] = answer.known_found;
  json["coverage"] = coverage;
  json["notes"] = answer.notes;
  json["results"] = Json::array();
  std::size_t rank = 0;
  for (const auto& row : answer.rows) {
    Json item;
    item["rank"] = ++rank;
    item["id"] = row.paper.id.str();
    item["title"] = row.paper.title;
    item["authors"] = row.paper.authors;
    item["venue"] = row.paper.venue;
    item["year"] = row.paper.date.year;
    if (!row.paper.url.empty()) item["url"] = row.paper.url;
    if (!row.paper.doi.empty()) item["doi"] = row.paper.doi;
    if (!row.paper.arxiv_id.empty()) item["arxiv_id"] = row.paper.arxiv_id;
    item["score"] = row.score;
    item["terms"] = Json::array();
    for (const auto& share : row.terms) item["terms"].push_back({{"term", share.term}, {"score", share.score}});
    if (!row.probability.empty()) {
      item["probability"] = Json::object();
      for (const auto& [tier, probability] : row.probability) item["probability"][tier_name(tier)] = probability;
      item["role"] = row.role;
      item["reasons"] = row.reasons;
      item["evidence"] = row.evidence;
    }
    json["results"].push_back(item);
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string account_text(const Account& account, bool all_features, std::size_t width) {
  std::string text;
  if (account.paper) {
    text += wrap(account.paper->title, width, 0);
    text += wrap(fmt::format("{} · {} · {}", authors_text(*account.paper), where_text(*account.paper), account.paper->id.str()),
                 width, 0);
  }
  text += wrap(account.verdict, width, 0);
  std::string shares;
  for (const auto& view : account.views) {
    shares += fmt::format("{}{} (place {})", shares.empty() ? "found by " : ", ", view.view, view.place);
  }
  if (!shares.empty()) text += wrap(shares, width, 0);
  std::string words;
  for (const auto& term : account.terms) words += (words.empty() ? "shares " : ", ") + term;
  if (!words.empty()) text += wrap(words, width, 0);
  for (const auto& [tier, probability] : account.probability) {
    text += fmt::format("{:<12} {:5.1f} %\n", tier_name(tier), 100 * probability);
  }
  if (account.features.empty()) return text;
  constexpr std::size_t kTelling = 12;
  const std::size_t shown = all_features ? account.features.size() : std::min(kTelling, account.features.size());
  Table table;
  table.add_column(all_features ? "feature" : "most telling features");
  table.add_column("value", Table::Align::right);
  table.add_column("adds", Table::Align::right);
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& feature = account.features[i];
    table.add_row({feature.name, std::isnan(feature.value) ? "unknown" : fmt::format("{:.4g}", feature.value),
                   fmt::format("{:+.3f}", feature.contribution)});
  }
  return text + "\n" + table.render();
}

std::string account_json(const Account& account) {
  Json json;
  json["standing"] = standing_name(account.standing);
  json["verdict"] = account.verdict;
  if (account.paper) json["paper"] = {{"id", account.paper->id.str()}, {"title", account.paper->title}};
  json["place"] = account.place;
  json["ranked"] = account.ranked;
  json["views"] = Json::array();
  for (const auto& view : account.views) {
    json["views"].push_back({{"view", view.view}, {"score", view.score}, {"place", view.place}});
  }
  json["terms"] = account.terms;
  json["probability"] = Json::object();
  for (const auto& [tier, probability] : account.probability) json["probability"][tier_name(tier)] = probability;
  json["features"] = Json::array();
  for (const auto& feature : account.features) {
    Json item{{"name", feature.name}, {"value", nullptr}, {"contribution", feature.contribution}};
    if (!std::isnan(feature.value)) item["value"] = feature.value;
    json["features"].push_back(std::move(item));
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string answer_bibtex(const Answer& answer) {
  std::vector<Paper> papers;
  for (const auto& row : answer.rows) papers.push_back(row.paper);
  return to_bibtex(papers);
}

}  // namespace mustcite::cli
