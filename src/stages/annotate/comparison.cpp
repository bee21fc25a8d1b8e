#include "stages/annotate/comparison.hpp"

#include <algorithm>
#include <cstdlib>

#include "core/base/error.hpp"
#include "core/learn/agreement.hpp"
#include "stages/annotate/section.hpp"

namespace mustcite::annotate {
namespace {

class Comparer {
 public:
  void add(const Instance& instance, std::optional<int> a, std::optional<int> b) {
    result_.only_a += a && !b ? 1 : 0;
    result_.only_b += b && !a ? 1 : 0;
    if (!a || !b) return;
    ++result_.common;
    said_a_.push_back(*a);
    said_b_.push_back(*b);
    ++result_.confusion[{*a, *b}];
    const std::string role =
        instance.contexts.empty() ? "none" : role_name(section_role(instance.contexts[0].section));
    for (auto* share : {&result_.by_section[role], &result_.by_venue[instance.citing_venue],
                        &result_.by_year[instance.citing_year]}) {
      ++share->common;
      share->differ += *a != *b ? 1 : 0;
      ++share->confusion[{*a, *b}];
    }
    if (*a != *b)
      result_.changed.push_back({instance.id, instance.citing_title, instance.cited_title, *a, *b});
  }

  Comparison finish(Tier tier) {
    std::stable_sort(result_.changed.begin(), result_.changed.end(),
                     [](const auto& p, const auto& q) { return std::abs(p.a - p.b) > std::abs(q.a - q.b); });
    result_.agreement = learn::accuracy(said_a_, said_b_);
    const std::vector<double> two{0, 1};
    const std::vector<double> five{1, 2, 3, 4, 5};
    result_.kappa = tier == Tier::type1
                        ? learn::cohen_kappa(said_a_, said_b_, learn::Weighting::identity, two)
                        : learn::cohen_kappa(said_a_, said_b_, learn::Weighting::quadratic, five);
    return std::move(result_);
  }

 private:
  Comparison result_;
  std::vector<double> said_a_;
  std::vector<double> said_b_;
};

}  // namespace

bool names_label(const std::string& name, const Label& label) {
  const std::string full = label.judge + ":" + label.model + ":" + label.definition;
  return full == name || full.starts_with(name.ends_with(":") ? name : name + ":");
}

LabelValues labels_named(const store::Catalog& catalog, Tier tier, const std::string& set) {
  LabelValues labels;
  std::string source;
  catalog.each_label([&](const Label& label) {
    if (label.tier != tier || !names_label(set, label)) return;
    const std::string this_source = label.judge + ":" + label.model + ":" + label.definition;
    if (labels.empty()) source = this_source;
    if (source != this_source) {
      fail(ErrorCode::usage, "'{}' names both {} and {}: say which, as JUDGE:MODEL:DEFINITION", set, source,
           this_source);
    }
    labels[pair_id(label.citing, label.cited)] = label.value;
  });
  return labels;
}

std::optional<int> value_in(const LabelValues& labels, const std::string& pair) {
  const auto found = labels.find(pair);
  return found == labels.end() ? std::nullopt : std::optional(found->second);
}

Comparison compare_labels(const store::Catalog& catalog, Tier tier, const std::string& a,
                          const std::string& b) {
  const auto first = labels_named(catalog, tier, a);
  const auto second = labels_named(catalog, tier, b);
  for (const auto& [labels, set] : {std::pair(&first, &a), std::pair(&second, &b)}) {
    if (labels->empty()) {
      fail(ErrorCode::not_found,
           "the catalog has no {} labels by '{}'; `mustcite annotate sets` lists whose it has",
           tier_name(tier), *set);
    }
  }
  Comparer comparer;
  each_instance(catalog, [&](Instance&& instance) {
    comparer.add(instance, value_in(first, instance.id), value_in(second, instance.id));
  });
  return comparer.finish(tier);
}

Comparison compare_verdicts(const std::vector<Instance>& instances, const std::vector<LlmVerdict>& verdicts,
                            const std::string& a, const std::string& b) {
  std::vector<std::optional<int>> first(instances.size());
  auto second = first;
  Tier tier = Tier::type1;
  for (const auto& verdict : verdicts) {
    if (verdict.definition == a) first[verdict.instance] = verdict.value;
    if (verdict.definition == b) second[verdict.instance] = verdict.value;
    if (verdict.definition == a) tier = verdict.tier;
  }
  Comparer comparer;
  for (std::size_t i = 0; i < instances.size(); ++i) comparer.add(instances[i], first[i], second[i]);
  return comparer.finish(tier);
}

}  // namespace mustcite::annotate
