#include "stages/annotate/consistency.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>
#include <unordered_map>

#include "core/base/error.hpp"
#include "core/learn/agreement.hpp"
#include "stages/annotate/instance.hpp"
#include "stages/annotate/marker.hpp"
#include "stages/annotate/section.hpp"

namespace mustcite::annotate {
namespace {

struct Values {
  std::optional<int> type1;
  std::optional<int> type2;
};

/// Labels of one set by pair. Throws when the name fits sets of several definitions: they are never mixed.
std::unordered_map<std::string, Values> labels_of(const store::Catalog& catalog, const std::string& set) {
  std::unordered_map<std::string, Values> labels;
  std::map<Tier, std::string> sources;
  catalog.each_label([&](const Label& label) {
    if (!names_label(set, label) || (label.tier != Tier::type1 && label.tier != Tier::type2)) return;
    const std::string source = label.judge + ":" + label.model + ":" + label.definition;
    const auto [known, is_new] = sources.emplace(label.tier, source);
    if (!is_new && known->second != source) {
      fail(ErrorCode::usage, "'{}' names both {} and {}: say which, as JUDGE:MODEL:DEFINITION", set,
           known->second, source);
    }
    auto& values = labels[pair_id(label.citing, label.cited)];
    (label.tier == Tier::type1 ? values.type1 : values.type2) = label.value;
  });
  if (labels.empty()) fail(ErrorCode::not_found, "the catalog has no labels by '{}'", set);
  return labels;
}

bool is_passing(SectionRole role) {
  return role == SectionRole::introduction || role == SectionRole::related || role == SectionRole::abstract;
}

}  // namespace

bool names_label(const std::string& name, const Label& label) {
  const std::string full = label.judge + ":" + label.model + ":" + label.definition;
  return full == name || full.starts_with(name.ends_with(":") ? name : name + ":");
}

CheckReport check_labels(const store::Catalog& catalog, const std::string& set) {
  const auto labels = labels_of(catalog, set);
  CheckReport report;
  each_instance(catalog, [&](Instance&& instance) {
    const auto found = labels.find(instance.id);
    if (found == labels.end() || instance.contexts.empty()) return;
    ++report.pairs;
    const auto odd = [&](const char* rule, std::string detail) {
      ++report.by_rule[rule];
      report.oddities.push_back({rule, instance.citing, instance.cited, std::move(detail)});
    };
    const auto& [type1, type2] = found->second;
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

Comparison compare_labels(const store::Catalog& catalog, Tier tier, const std::string& a,
                          const std::string& b) {
  const auto first = labels_of(catalog, a);
  const auto second = labels_of(catalog, b);
  const auto value = [&](const std::unordered_map<std::string, Values>& labels,
                         const std::string& id) -> std::optional<int> {
    const auto found = labels.find(id);
    if (found == labels.end()) return std::nullopt;
    return tier == Tier::type1 ? found->second.type1 : found->second.type2;
  };
  Comparison result;
  std::vector<double> said_a, said_b;
  each_instance(catalog, [&](Instance&& instance) {
    const auto x = value(first, instance.id);
    const auto y = value(second, instance.id);
    result.only_a += x && !y ? 1 : 0;
    result.only_b += y && !x ? 1 : 0;
    if (!x || !y) return;
    ++result.common;
    said_a.push_back(*x);
    said_b.push_back(*y);
    ++result.confusion[{*x, *y}];
    const std::string role =
        instance.contexts.empty() ? "none" : role_name(section_role(instance.contexts[0].section));
    for (auto* share : {&result.by_section[role], &result.by_venue[instance.citing_venue],
                        &result.by_year[instance.citing_year]}) {
      ++share->common;
      share->differ += *x != *y ? 1 : 0;
    }
    if (*x != *y) result.changed.push_back({instance.citing, instance.cited, *x, *y});
  });
  std::stable_sort(result.changed.begin(), result.changed.end(),
                   [](const auto& p, const auto& q) { return std::abs(p.a - p.b) > std::abs(q.a - q.b); });
  result.agreement = learn::accuracy(said_a, said_b);
  const std::vector<double> two{0, 1};
  const std::vector<double> five{1, 2, 3, 4, 5};
  result.kappa = tier == Tier::type1 ? learn::cohen_kappa(said_a, said_b, learn::Weighting::identity, two)
                                     : learn::cohen_kappa(said_a, said_b, learn::Weighting::quadratic, five);
  return result;
}

}  // namespace mustcite::annotate
