#include "stages/annotate/features.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <initializer_list>
#include <memory>
#include <set>

#include "core/text/analyzer.hpp"
#include "core/text/normalise.hpp"
#include "stages/annotate/cues.hpp"
#include "stages/annotate/marker.hpp"
#include "stages/annotate/section.hpp"

namespace mustcite::annotate {
namespace {

using Terms = std::set<std::string>;

Terms terms_of(std::string_view text) {
  static const auto analyzer = text::make_analyzer("english");
  std::vector<std::string> terms;
  analyzer->analyze(text, terms);
  return {terms.begin(), terms.end()};
}

std::size_t shared(const Terms& a, const Terms& b) {
  std::size_t count = 0;
  for (const auto& term : a) count += b.count(term);
  return count;
}

float ratio(std::size_t part, std::size_t whole) {
  return whole == 0 ? 0.0F : static_cast<float>(part) / static_cast<float>(whole);
}

/// What the cited work is called: the part of its title before a colon, or its first word in mixed capitals.
std::string name_of(std::string_view title) {
  const auto colon = title.find(':');
  if (colon != std::string_view::npos && colon > 1 && colon < 25) return std::string(title.substr(0, colon));
  for (std::size_t at = 0; at < title.size();) {
    while (at < title.size() && std::isalnum(static_cast<unsigned char>(title[at])) == 0) ++at;
    std::size_t end = at;
    int capitals = 0;
    while (end < title.size() && (std::isalnum(static_cast<unsigned char>(title[end])) != 0 ||
                                  title[end] == '-' || title[end] == '+')) {
      capitals += std::isupper(static_cast<unsigned char>(title[end])) != 0 ? 1 : 0;
      ++end;
    }
    if (capitals >= 2 && end - at >= 3 && end - at <= 15) return std::string(title.substr(at, end - at));
    at = end + 1;
  }
  return {};
}

std::string folded(std::string_view text) {
  return " " + text::to_lower(text) + " ";
}

bool holds(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

/// What the places where the work is cited have in common, gathered over the contexts.
struct Gathered {
  std::array<float, kSectionRoles> roles{};
  std::array<float, kCues> cues{};           ///< contexts with the cue
  std::array<float, kCues> cues_in_tests{};  ///< of those in an experiments section
  std::size_t contexts = 0;
  std::size_t places = 0;
  std::size_t textual = 0;
  std::size_t alone = 0;
  std::size_t least_group = 20;
  float group_sum = 0;
  std::size_t sections = 0;
  int last_section = 0;
  float score_max = -3;
  float score_sum = 0;
  std::size_t ours_and_alone = 0;
  std::size_t table_rows = 0;
  bool head_compares = false;  ///< under a heading such as "Baselines"
  bool head_data = false;      ///< under a heading such as "Datasets"
  std::size_t named = 0;
  float words_of_title = 0;
};

/// A row of a table read as text: hardly any small words, many numbers.
bool looks_like_table(std::string_view text) {
  std::size_t numbers = 0;
  std::size_t words = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (at > 0 && text[at - 1] != ' ') continue;
    const auto byte = static_cast<unsigned char>(text[at]);
    if (std::isdigit(byte) != 0) ++numbers;
    if (std::isalpha(byte) != 0) ++words;
  }
  return numbers >= 4 && numbers * 2 >= words;
}

void gather_places(const CitationContext& context, const std::string& cited_as, bool is_ours, Gathered& all) {
  const auto places = find_marker(context.text, cited_as);
  for (const auto& place : places) {
    ++all.places;
    all.textual += place.is_textual ? 1 : 0;
    all.alone += place.group == 1 ? 1 : 0;
    all.ours_and_alone += place.group == 1 && is_ours ? 1 : 0;
    all.least_group = std::min(all.least_group, place.group);
    all.group_sum += std::log1p(static_cast<float>(place.group));
  }
}

Gathered gather(const Instance& instance, const SentenceModel* sentences) {
  Gathered all;
  const std::string name = folded(name_of(instance.cited_title));
  const Terms cited_terms = terms_of(instance.cited_title);
  std::set<std::string> sections;
  std::set<std::string_view> seen;
  for (const auto& context : instance.contexts) {
    if (!seen.insert(context.text).second) continue;
    ++all.contexts;
    const SectionRole role = section_role(context.section);
    all.roles[static_cast<std::size_t>(role)] += 1;
    sections.insert(context.section);
    const std::string heading = folded(context.section);
    all.head_compares =
        all.head_compares || holds(heading, {"baseline", "compar", "competing", "state-of-the-art"});
    all.head_data = all.head_data || holds(heading, {"dataset", "data set", "benchmark", " data "});
    all.last_section = std::max(all.last_section, section_number(context.section));
    const std::string lower = folded(context.text);
    const auto cues = find_cues(lower);
    for (std::size_t cue = 0; cue < kCues; ++cue) {
      all.cues[cue] += cues[cue] ? 1.0F : 0.0F;
      all.cues_in_tests[cue] += cues[cue] && role == SectionRole::experiments ? 1.0F : 0.0F;
    }
    gather_places(context, instance.cited_as, cues[static_cast<std::size_t>(Cue::ours)], all);
    all.table_rows += looks_like_table(context.text) ? 1 : 0;
    all.named += name.size() > 4 && lower.find(name.substr(1, name.size() - 2)) != std::string::npos ? 1 : 0;
    all.words_of_title =
        std::max(all.words_of_title, ratio(shared(cited_terms, terms_of(context.text)), cited_terms.size()));
    if (sentences != nullptr) {
      const float score = sentences->score(SentenceModel::tokens_of(context, instance.cited_as));
      all.score_max = std::max(all.score_max, score);
      all.score_sum += score;
    }
  }
  all.sections = sections.size();
  return all;
}

class Row {
 public:
  void add(const char* name, float value) {
    names.emplace_back(name);
    values.push_back(value);
  }
  void add(const std::string& name, float value) {
    names.push_back(name);
    values.push_back(value);
  }
  std::vector<std::string> names;
  std::vector<float> values;
};

void add_counts(const Instance& instance, const Gathered& all, Row& row) {
  const auto mentions = static_cast<float>(mentions_of(instance));
  row.add("log_mentions", std::log(mentions));
  row.add("mentioned_once", mentions <= 1 ? 1.0F : 0.0F);
  row.add("mentioned_3", mentions >= 3 ? 1.0F : 0.0F);
  row.add("mentioned_5", mentions >= 5 ? 1.0F : 0.0F);
  row.add("contexts", std::log1p(static_cast<float>(all.contexts)));
  row.add("sections", std::log1p(static_cast<float>(all.sections)));
  row.add("last_section", static_cast<float>(std::min(all.last_section, 10)));
  row.add("textual", ratio(all.textual, all.places));
  row.add("alone", ratio(all.alone, all.places));
  row.add("any_alone", all.alone > 0 ? 1.0F : 0.0F);
  row.add("ours_and_alone", ratio(all.ours_and_alone, all.places));
  row.add("least_group", all.places == 0 ? 0.0F : std::log(static_cast<float>(all.least_group)));
  row.add("mean_group", all.places == 0 ? 0.0F : all.group_sum / static_cast<float>(all.places));
  row.add("unlocated", all.places == 0 ? 1.0F : 0.0F);
  row.add("table_rows", std::log1p(static_cast<float>(all.table_rows)));
}

void add_wording(const Gathered& all, Row& row) {
  const auto contexts = static_cast<float>(std::max<std::size_t>(all.contexts, 1));
  float passing = 0;
  for (int role = 0; role < kSectionRoles; ++role) {
    const float count = all.roles[static_cast<std::size_t>(role)];
    const std::string name = role_name(static_cast<SectionRole>(role));
    row.add("in_" + name, count > 0 ? 1.0F : 0.0F);
    row.add("share_" + name, count / contexts);
    if (role <= static_cast<int>(SectionRole::related)) passing += count;
  }
  row.add("only_in_passing", passing == contexts ? 1.0F : 0.0F);
  for (std::size_t cue = 0; cue < kCues; ++cue) {
    const std::string name = cue_name(static_cast<Cue>(cue));
    row.add("any_" + name, all.cues[cue] > 0 ? 1.0F : 0.0F);
    row.add("share_" + name, all.cues[cue] / contexts);
  }
  for (const Cue cue : {Cue::compares, Cue::uses, Cue::data, Cue::ours}) {
    const std::string name = cue_name(cue);
    row.add("tests_" + name, all.cues_in_tests[static_cast<std::size_t>(cue)] > 0 ? 1.0F : 0.0F);
  }
  row.add("sentence_max", all.contexts == 0 ? 0.0F : all.score_max);
  row.add("sentence_mean", all.score_sum / contexts);
  row.add("head_compares", all.head_compares ? 1.0F : 0.0F);
  row.add("head_data", all.head_data ? 1.0F : 0.0F);
  row.add("named", std::log1p(static_cast<float>(all.named)));
  row.add("words_of_title", all.words_of_title);
}

void add_titles(const Instance& instance, Row& row) {
  const std::string cited_title = folded(instance.cited_title);
  const Terms citing = terms_of(instance.citing_title);
  const Terms cited = terms_of(instance.cited_title);
  const std::size_t common = shared(citing, cited);
  row.add("titles_jaccard", ratio(common, citing.size() + cited.size() - common));
  row.add("titles_overlap", ratio(common, std::min(citing.size(), cited.size())));
  row.add("titles_common", std::min(4.0F, static_cast<float>(common)));
  const std::string name = folded(name_of(instance.cited_title));
  row.add("has_name", name.size() > 4 ? 1.0F : 0.0F);
  row.add("name_in_title",
          name.size() > 4 &&
                  folded(instance.citing_title).find(name.substr(1, name.size() - 2)) != std::string::npos
              ? 1.0F
              : 0.0F);
  row.add("is_data", holds(cited_title, {"dataset", "data set", "benchmark", "corpus", "challenge",
                                         "environment", "simulator", "collection"})
                         ? 1.0F
                         : 0.0F);
  row.add("is_survey",
          holds(cited_title, {"survey", "review", "overview", "tutorial", "introduction"}) ? 1.0F : 0.0F);
  row.add("is_machinery",
          holds(cited_title, {"batch normalization", "adam:", "stochastic optimization", "dropout",
                              "residual learning", "attention is all", "auto-encoding",
                              "generative adversarial net", "imagenet", "deep convolutional",
                              "recurrent neural network", "library", "toolkit", "machine translation"})
              ? 1.0F
              : 0.0F);
  const bool dated = instance.citing_year > 0 && instance.cited_year > 0;
  const float age =
      dated ? static_cast<float>(std::clamp(instance.citing_year - instance.cited_year, 0, 20)) : 5.0F;
  row.add("log_age", std::log1p(age));
  row.add("recent", age <= 2 ? 1.0F : 0.0F);
}

Row row_of(const Instance& instance, const SentenceModel* sentences) {
  Row row;
  const Gathered all = gather(instance, sentences);
  add_counts(instance, all, row);
  add_wording(all, row);
  add_titles(instance, row);
  return row;
}

}  // namespace

const std::vector<std::string>& feature_names() {
  static const std::vector<std::string> names = row_of(Instance{}, nullptr).names;
  return names;
}

std::vector<float> features_of(const Instance& instance, const SentenceModel* sentences) {
  return row_of(instance, sentences).values;
}

}  // namespace mustcite::annotate
