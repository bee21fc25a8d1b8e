#include "stages/annotate/consistency.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/base/error.hpp"
#include "stages/annotate/comparison.hpp"
#include "stages/annotate/instance.hpp"
#include "stages/annotate/marker.hpp"
#include "stages/annotate/section.hpp"

namespace mustcite::annotate {
namespace {

bool is_passing(SectionRole role) {
  return role == SectionRole::introduction || role == SectionRole::related || role == SectionRole::abstract;
}

}  // namespace

CheckReport check_labels(const store::Catalog& catalog, const std::string& set) {
  const auto first = labels_named(catalog, Tier::type1, set);
  const auto second = labels_named(catalog, Tier::type2, set);
  if (first.empty() && second.empty()) fail(ErrorCode::not_found, "the catalog has no labels by '{}'", set);
  CheckReport report;
  each_instance(catalog, [&](Instance&& instance) {
    const auto type1 = value_in(first, instance.id);
    const auto type2 = value_in(second, instance.id);
    if ((!type1 && !type2) || instance.contexts.empty()) return;
    ++report.pairs;
    const auto odd = [&](const char* rule, std::string detail) {
      ++report.by_rule[rule];
      report.oddities.push_back({rule, instance.citing, instance.cited, std::move(detail)});
    };
    const bool passing =
        std::all_of(instance.contexts.begin(), instance.contexts.end(),
                    [](const CitationContext& context) { return is_passing(section_role(context.section)); });
    const int mentions = mentions_of(instance);
    if (type1 == 1 && passing)
      odd("type1-only-in-passing",
          fmt::format("Type I, but only in introduction or related work ({} mentions)", mentions));
    if (type1 == 1 && type2 && *type2 <= 2)
      odd("type1-but-irrelevant", fmt::format("Type I 1, Type II {}", *type2));
    if (type2 && *type2 <= 2 && mentions >= 5)
      odd("irrelevant-but-frequent", fmt::format("Type II {}, {} mentions", *type2, mentions));
    if (type2 && *type2 >= 4 && mentions == 1) {
      const auto places = find_marker(instance.contexts[0].text, instance.cited_as);
      if (!places.empty() && places[0].group >= 4)
        odd("relevant-but-in-a-crowd",
            fmt::format("Type II {}, one mention among {} works", *type2, places[0].group));
    }
  });
  return report;
}

}  // namespace mustcite::annotate
