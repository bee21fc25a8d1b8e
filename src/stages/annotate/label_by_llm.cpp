#include "stages/annotate/label_by_llm.hpp"

#include <algorithm>
#include <memory>

#include "core/base/hash.hpp"

namespace mustcite::annotate {
namespace {

constexpr std::size_t kBatch = 1000;

}  // namespace

std::vector<Instance> sample_instances(std::vector<Instance> instances, std::uint64_t count,
                                       std::uint64_t seed) {
  if (count == 0 || count >= instances.size()) return instances;
  std::vector<std::pair<std::uint64_t, std::size_t>> order;
  for (std::size_t i = 0; i < instances.size(); ++i) {
    const std::string key = std::to_string(seed) + ":" + instances[i].id;
    order.emplace_back(checksum64(std::as_bytes(std::span(key))), i);
  }
  std::sort(order.begin(), order.end());
  order.resize(count);
  std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  std::vector<Instance> chosen;
  for (const auto& [hash, i] : order) chosen.push_back(std::move(instances[i]));
  return chosen;
}

std::vector<Instance> choose_instances(const store::Catalog& catalog, const CatalogLlmOptions& options) {
  std::vector<Instance> instances;
  each_instance(catalog, [&](Instance&& instance) {
    if (instance.contexts.empty() || instance.citing_title.empty() || instance.cited_title.empty()) return;
    if (!options.only.empty() && instance.citing.str() != options.only) return;
    instances.push_back(std::move(instance));
  });
  return sample_instances(std::move(instances), options.sample, options.seed);
}

LlmReport label_by_llm(store::Catalog& catalog, const std::vector<Instance>& instances,
                       const std::vector<Prompt>& prompts, const CatalogLlmOptions& options,
                       ReplyCache& cache, const std::function<void(const LlmVerdict&)>& take,
                       Progress& progress) {
  auto batch = std::make_unique<store::Catalog::Batch>(catalog);
  std::size_t uncommitted = 0;
  const auto put = [&](const LlmVerdict& verdict) {
    Label label;
    label.citing = instances[verdict.instance].citing;
    label.cited = instances[verdict.instance].cited;
    label.tier = verdict.tier;
    label.value = verdict.value;
    label.judge = protocol_name(options.llm.endpoint.protocol);
    label.model = options.llm.endpoint.model;
    label.definition = verdict.definition;
    label.date = options.date;
    label.reply = verdict.reply;
    catalog.put(label);
    take(verdict);
    if (++uncommitted < kBatch) return;
    batch->commit();
    batch = std::make_unique<store::Catalog::Batch>(catalog);
    uncommitted = 0;
  };
  LlmReport report = ask_llm(instances, prompts, options.llm, cache, put, progress);
  for (const auto& reject : report.rejects) catalog.reject(reject);
  batch->commit();
  return report;
}

}  // namespace mustcite::annotate
