#include "apps/validate/publish.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <unordered_set>

namespace mustcite::validate {
namespace {

/// What a question came to, and who said what on the way.
struct Outcome {
  std::optional<int> value;
  bool is_adjudicated = false;
  std::string said;
};

Outcome outcome_of(const std::map<std::string, Answer>& answers, int Answer::*question) {
  Outcome outcome;
  std::size_t raters = 0;
  bool differ = false;
  std::optional<int> first;
  for (const auto& [rater, answer] : answers) {
    if (!outcome.said.empty()) outcome.said += ' ';
    outcome.said += fmt::format("{}:{}", rater, answer.*question);
    if (rater == kAdjudicator) {
      outcome.value = answer.*question;
      outcome.is_adjudicated = true;
      continue;
    }
    ++raters;
    differ = differ || (first && *first != answer.*question);
    if (!first) first = answer.*question;
  }
  if (!outcome.is_adjudicated && raters >= 2 && !differ) outcome.value = first;
  return outcome;
}

}  // namespace

Published publish(const Study& study, const std::string& name, store::Catalog& catalog, Date date) {
  std::unordered_set<std::string> known;
  catalog.each_citation(
      [&](const Citation& citation) { known.insert(annotate::pair_id(citation.citing, citation.cited)); });
  Published report;
  store::Catalog::Batch batch(catalog);
  for (std::size_t item = 0; item < study.instances().size(); ++item) {
    const auto& instance = study.instances()[item];
    const auto answers = study.answers_of(item);
    for (const auto& [tier, question] :
         {std::pair(Tier::type1, &Answer::type1), std::pair(Tier::type2, &Answer::type2)}) {
      ++report.questions;
      if (!known.contains(annotate::pair_id(instance.citing, instance.cited))) {
        ++report.not_in_catalog;
        continue;
      }
      const Outcome outcome = outcome_of(answers, question);
      if (!outcome.value) {
        ++report.open;
        continue;
      }
      ++(outcome.is_adjudicated ? report.adjudicated : report.agreed);
      Label label;
      label.citing = instance.citing;
      label.cited = instance.cited;
      label.tier = tier;
      label.value = *outcome.value;
      label.judge = kPeople;
      label.model = name;
      label.definition = kQuestions;
      label.date = date;
      label.reply = outcome.said;
      catalog.put(label);
    }
  }
  batch.commit();
  return report;
}

}  // namespace mustcite::validate
