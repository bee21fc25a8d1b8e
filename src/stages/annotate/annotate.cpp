#include "stages/annotate/annotate.hpp"

#include <chrono>
#include <map>
#include <tuple>
#include <unordered_set>

#include "core/base/threads.hpp"

namespace mustcite::annotate {
namespace {

constexpr std::size_t kBlock = 4096;

class LocalRun {
 public:
  LocalRun(store::Catalog& catalog, const LocalJudge& judge, const LocalOptions& options)
      : catalog_(catalog), judge_(judge), options_(options) {
    catalog_.each_label([&](const Label& label) {
      if (label.judge == kLocalJudge && label.model == judge_.name() && label.definition == kRubric)
        known_[label.tier == Tier::type1 ? 0 : 1].insert(pair_id(label.citing, label.cited));
    });
  }

  void take(Instance&& instance, Progress& progress) {
    if (!options_.only.empty() && instance.citing.str() != options_.only) return;
    ++report_.read;
    progress.advance(1);
    if (instance.contexts.empty()) {
      ++report_.without_context;
      return;
    }
    bool is_known = true;
    for (const Tier tier : options_.tiers)
      is_known = is_known && known_[tier == Tier::type1 ? 0 : 1].contains(instance.id);
    if (is_known) {
      ++report_.known;
      return;
    }
    block_.push_back(std::move(instance));
    if (block_.size() == kBlock) flush();
  }

  void flush() {
    const auto verdicts = judge_all(block_, judge_, options_.threads);
    store::Catalog::Batch batch(catalog_);
    for (std::size_t i = 0; i < block_.size(); ++i) put(block_[i], verdicts[i]);
    batch.commit();
    report_.labelled += block_.size();
    block_.clear();
    stop_if_interrupted();
  }

  [[nodiscard]] const LocalReport& report() const { return report_; }

 private:
  void put(const Instance& instance, const LocalVerdict& verdict) {
    Label label;
    label.citing = instance.citing;
    label.cited = instance.cited;
    label.judge = kLocalJudge;
    label.model = judge_.name();
    label.definition = kRubric;
    label.date = options_.date;
    if (options_.tiers.contains(Tier::type1)) {
      label.tier = Tier::type1;
      label.value = verdict.type1_value;
      label.probability = verdict.type1_value == 1 ? verdict.type1 : 1 - verdict.type1;
      catalog_.put(label);
      report_.type1_positive += verdict.type1_value == 1 ? 1 : 0;
    }
    if (options_.tiers.contains(Tier::type2)) {
      label.tier = Tier::type2;
      label.value = verdict.type2_value;
      label.probability = verdict.type2[static_cast<std::size_t>(verdict.type2_value - 1)];
      catalog_.put(label);
      ++report_.type2_counts[verdict.type2_value - 1];
    }
  }

  store::Catalog& catalog_;
  const LocalJudge& judge_;
  const LocalOptions& options_;
  std::unordered_set<std::string> known_[2];
  std::vector<Instance> block_;
  LocalReport report_;
};

}  // namespace

std::vector<LocalVerdict> judge_all(const std::vector<Instance>& instances, const LocalJudge& judge,
                                    std::size_t threads) {
  std::vector<LocalVerdict> verdicts(instances.size());
  constexpr std::size_t kAtOnce = 64;
  parallel_for((instances.size() + kAtOnce - 1) / kAtOnce, threads, [&](std::size_t part, std::size_t) {
    const std::size_t end = std::min(instances.size(), (part + 1) * kAtOnce);
    for (std::size_t i = part * kAtOnce; i < end; ++i) verdicts[i] = judge.judge(instances[i]);
  });
  return verdicts;
}

LocalReport label_by_local(store::Catalog& catalog, const std::filesystem::path& catalog_file,
                           const LocalJudge& judge, const LocalOptions& options, Progress& progress) {
  const auto begin = std::chrono::steady_clock::now();
  // Read apart from the connection that writes, so that batches may be committed meanwhile.
  const store::Catalog reader(catalog_file, store::Catalog::Mode::read_only);
  LocalRun run(catalog, judge, options);
  progress.begin("annotate", reader.counts().citations);
  each_instance(reader, [&](Instance&& instance) { run.take(std::move(instance), progress); });
  run.flush();
  progress.finish();
  LocalReport report = run.report();
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return report;
}

std::vector<LabelSet> label_sets(const store::Catalog& catalog) {
  std::map<std::tuple<std::string, std::string, std::string, Tier>, std::uint64_t> counts;
  catalog.each_label([&](const Label& label) {
    ++counts[{label.judge, label.model, label.definition, label.tier}];
  });
  std::vector<LabelSet> sets;
  for (const auto& [key, labels] : counts)
    sets.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), std::get<3>(key), labels});
  return sets;
}

}  // namespace mustcite::annotate
