#include "engine/recommend/reasons.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "core/text/normalise.hpp"

namespace mustcite::recommend {
namespace {

constexpr std::size_t kWordsShown = 6;
constexpr std::size_t kTitlesShown = 2;
constexpr std::size_t kTitleBytes = 90;

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const auto& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

/// At most `bytes` of a text, cut between words.
std::string shortened(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return std::string(text);
  const auto space = text.rfind(' ', bytes);
  return std::string(text.substr(0, space == std::string_view::npos ? bytes : space)) + "…";
}

/// "cited by 7 of the 20 papers most like yours, 4 times in their experiments: A; B".
std::string supporters_line(const rank::Explanation& explanation, const rank::Resources& resources) {
  if (explanation.supporters.empty()) return {};
  std::size_t in_experiments = 0;
  std::vector<std::string> titles;
  for (const auto& supporter : explanation.supporters) {
    if (supporter.exp_mentions.value_or(0) > 0) ++in_experiments;
    if (titles.size() < kTitlesShown) {
      titles.push_back(shortened(resources.snapshot().citing(supporter.citing).title, kTitleBytes));
    }
  }
  std::string line = fmt::format("cited by {} of the {} papers most like yours", explanation.supporters.size(), explanation.asked);
  if (in_experiments > 0) line += fmt::format(", by {} in {} experiments", in_experiments, in_experiments == 1 ? "its" : "their");
  line += ": ";
  for (std::size_t i = 0; i < titles.size(); ++i) line += (i > 0 ? "; " : "") + titles[i];
  if (explanation.supporters.size() > titles.size()) line += "; …";
  return line;
}

std::string counts_line(const rank::Explanation& explanation) {
  const auto& cited = explanation.cited;
  if (cited.citing == 0) return {};
  std::string line = fmt::format("cited by {} paper{} of the catalog", cited.citing, cited.citing == 1 ? "" : "s");
  if (cited.must > 0) line += fmt::format(", three times or more by {}", cited.must);
  if (cited.experiments > 0) line += fmt::format(", in experiments by {}", cited.experiments);
  return line;
}

/// How readers call a view.
std::string_view view_words(std::string_view view) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 13> kWords{
      {{"bm25", "its words"},
       {"title", "its title"},
       {"citance", "what others say when they cite it"},
       {"sentences", "citing sentences"},
       {"neighbours", "papers with your words"},
       {"latent-neighbours", "papers on your topic"},
       {"cocitation", "what is cited together"},
       {"embedding", "its topic"},
       {"lsi", "its topic"},
       {"dense", "its meaning"},
       {"dense-neighbours", "papers of like meaning"},
       {"late", "its words in context"},
       {"feedback", "words of the first results"}}};
  for (const auto& [name, words] : kWords) {
    if (name == view) return words;
  }
  return {};
}

std::string views_line(const rank::Explanation& explanation) {
  std::vector<std::string> parts;
  for (const auto& view : explanation.views) {
    const auto words = view_words(view.view);
    if (words.empty() || view.place == 0 || view.place > 100) continue;
    auto part = fmt::format("{} (place {})", words, view.place);
    const bool known = std::any_of(parts.begin(), parts.end(), [&](const auto& other) { return other.starts_with(words); });
    if (!known) parts.push_back(std::move(part));
    if (parts.size() == 4) break;
  }
  return parts.empty() ? std::string{} : "found by " + joined(parts);
}

bool names_a_dataset(std::string_view title) {
  const std::string folded = text::fold(title);
  for (const char* word : {"dataset", "data set", "benchmark", "corpus", "database", "challenge", "treebank", "test suite"}) {
    if (folded.find(word) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

SurfaceForms::SurfaceForms(const text::Analyzer& analyzer, const std::string& text) {
  std::vector<std::string> terms;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find_first_of(" \t\n/", begin), text.size());
    std::string_view word(text.data() + begin, end - begin);
    begin = end + 1;
    while (!word.empty() && std::ispunct(static_cast<unsigned char>(word.front())) != 0) word.remove_prefix(1);
    while (!word.empty() && std::ispunct(static_cast<unsigned char>(word.back())) != 0) word.remove_suffix(1);
    if (word.empty()) continue;
    terms.clear();
    analyzer.analyze(word, terms);
    // A word that becomes several terms ("model's") is shown by none of them.
    if (terms.size() == 1) words_.emplace(terms[0], text::to_lower(word));
  }
}

std::string SurfaceForms::word(const std::string& term) const {
  const auto found = words_.find(term);
  return found == words_.end() ? term : found->second;
}

std::vector<std::string> reason_lines(const rank::Explanation& explanation, const rank::Resources& resources,
                                      const SurfaceForms& words) {
  std::vector<std::string> lines;
  const auto add = [&](std::string line) {
    if (!line.empty()) lines.push_back(std::move(line));
  };
  if (!explanation.names.empty()) add("your text names " + joined(explanation.names));
  add(supporters_line(explanation, resources));
  std::vector<std::string> shared;
  for (const auto& term : explanation.terms) {
    if (shared.size() < kWordsShown) shared.push_back(words.word(term));
  }
  if (!shared.empty()) add("shares " + joined(shared));
  add(counts_line(explanation));
  add(views_line(explanation));
  return lines;
}

std::string likely_role(const rank::Explanation& explanation, const rank::Resources& resources) {
  if (names_a_dataset(resources.snapshot().document(explanation.doc).title)) return "dataset";
  const auto& roles = explanation.roles;
  const std::uint32_t told = roles.experiments + roles.method + roles.related + roles.introduction;
  if (told == 0) return {};
  // Background sections mention everything, so a third in the experiments is much.
  if (roles.experiments * 3 >= told) return "baseline";
  if (roles.method * 3 >= told) return "method";
  return "background";
}

std::string evidence_line(const rank::Explanation& explanation, const rank::Resources& resources) {
  if (!explanation.sentence) return {};
  const auto& snapshot = resources.snapshot();
  const auto context = snapshot.context_view(explanation.sentence->evidence, explanation.sentence->context);
  const auto citing = snapshot.citing(snapshot.evidence(explanation.sentence->evidence).citing_paper);
  return fmt::format("“{}” ({}, {})", shortened(context.text, 320), shortened(citing.title, kTitleBytes), citing.year);
}

}  // namespace mustcite::recommend
