#include "stages/release/labels.hpp"

#include <algorithm>

#include "core/base/error.hpp"

namespace mustcite::release {
namespace {

std::string pair_key(const std::string& citing, const std::string& cited) {
  return citing + '\n' + cited;
}

/// `local`, `openai:MODEL` or `openai:MODEL:DEFINITION`, each part whole: a second run of a prompt ends in
/// its number.
bool is_chosen(const Label& label, const std::vector<std::string>& judges) {
  if (judges.empty()) return true;
  const std::string name = label.judge + ":" + label.model + ":" + label.definition;
  return std::any_of(judges.begin(), judges.end(), [&](const std::string& judge) {
    return name == judge || name.starts_with(judge.ends_with(":") ? judge : judge + ":");
  });
}

}  // namespace

Labels::Labels(const store::Catalog& catalog, const Options& options) {
  catalog.each_label([&](const Label& label) {
    if (label.tier != Tier::type1 && label.tier != Tier::type2) return;
    if (!is_chosen(label, options.judges)) return;
    const std::string source =
        label.judge + (label.model.empty() ? "" : " " + label.model) + ", " + label.definition;
    const auto [known, is_new] = sources_.emplace(label.tier, source);
    if (!is_new && known->second != source) {
      fail(ErrorCode::usage,
           "the catalog has {} labels of '{}' and of '{}', which a release never mixes; choose with "
           "--labels-by "
           "JUDGE[:MODEL[:DEFINITION]]",
           tier_name(label.tier), known->second, source);
    }
    if (label.probability && *label.probability < options.min_probability) {
      ++unsure_;
      return;
    }
    auto& pair = pairs_[pair_key(label.citing.str(), label.cited.str())];
    (label.tier == Tier::type1 ? pair.type1 : pair.type2) = label.value;
    ++counts_[label.tier][label.value];
  });
}

const Labels::Pair* Labels::find(const std::string& citing, const std::string& cited) const {
  const auto found = pairs_.find(pair_key(citing, cited));
  return found == pairs_.end() ? nullptr : &found->second;
}

int Labels::type1(const std::string& citing, const std::string& cited) const {
  const Pair* pair = find(citing, cited);
  return pair == nullptr ? -1 : pair->type1;
}

int Labels::type2(const std::string& citing, const std::string& cited) const {
  const Pair* pair = find(citing, cited);
  return pair == nullptr ? -1 : pair->type2;
}

}  // namespace mustcite::release
