#include "apps/validate/sample.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "core/base/hash.hpp"

namespace mustcite::validate {
namespace {

std::uint64_t order_of(const std::string& id, std::uint64_t seed, const char* purpose) {
  const std::string key = fmt::format("{} {} {}", purpose, seed, id);
  return checksum64(std::as_bytes(std::span(key)));
}

std::string mention_class(const annotate::Instance& instance) {
  const int mentions = annotate::mentions_of(instance);
  return mentions >= 3 ? "3+" : std::to_string(mentions);
}

}  // namespace

std::map<std::string, std::uint64_t> quotas(const std::map<std::string, std::uint64_t>& sizes,
                                            std::uint64_t total) {
  std::uint64_t population = 0;
  for (const auto& [name, size] : sizes) population += size;
  std::map<std::string, std::uint64_t> result;
  if (total >= population) return sizes;
  std::vector<std::pair<std::uint64_t, std::string>> remainders;
  std::uint64_t given = 0;
  for (const auto& [name, size] : sizes) {
    // In whole numbers, so that no rounding error decides: size * total / population.
    result[name] = size * total / population;
    given += result[name];
    remainders.emplace_back(size * total % population, name);
  }
  std::stable_sort(remainders.begin(), remainders.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (std::size_t i = 0; given < total; ++i, ++given) ++result[remainders[i].second];
  return result;
}

Sample draw(const store::Catalog& catalog, const SampleOptions& options) {
  std::map<std::string, std::string> labels;
  catalog.each_label([&](const Label& label) {
    if (label.judge != options.judge || (label.tier != Tier::type1 && label.tier != Tier::type2)) return;
    labels[annotate::pair_id(label.citing, label.cited)] +=
        fmt::format("{}{}", label.tier == Tier::type1 ? "I" : "II", label.value);
  });
  std::map<std::string, std::vector<std::pair<std::uint64_t, annotate::Instance>>> strata;
  Sample sample;
  annotate::each_instance(catalog, [&](annotate::Instance&& instance) {
    if (instance.contexts.empty() || instance.citing_title.empty() || instance.cited_title.empty()) return;
    const auto label = labels.find(instance.id);
    const std::string name = fmt::format("{} {} {}", instance.citing_venue, instance.citing_year,
                                         label != labels.end() ? label->second : mention_class(instance));
    ++sample.population;
    const std::uint64_t order = order_of(instance.id, options.seed, "draw");
    strata[name].emplace_back(order, std::move(instance));
  });
  std::map<std::string, std::uint64_t> sizes;
  for (const auto& [name, members] : strata) sizes[name] = members.size();
  for (const auto& [name, quota] : quotas(sizes, options.size)) {
    if (quota == 0) continue;
    sample.strata[name] = quota;
    auto& members = strata[name];
    std::sort(members.begin(), members.end(), [](const auto& a, const auto& b) {
      return std::tie(a.first, a.second.id) < std::tie(b.first, b.second.id);
    });
    for (std::uint64_t i = 0; i < quota; ++i) sample.instances.push_back(std::move(members[i].second));
  }
  std::sort(sample.instances.begin(), sample.instances.end(), [&](const auto& a, const auto& b) {
    return std::pair(order_of(a.id, options.seed, "mix"), a.id) <
           std::pair(order_of(b.id, options.seed, "mix"), b.id);
  });
  return sample;
}

}  // namespace mustcite::validate
