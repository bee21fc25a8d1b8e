#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>

#include "core/store/catalog.hpp"
#include "stages/release/release.hpp"

namespace mustcite::release {

/// The labels that a release uses, by pair, and where they come from.
class Labels {
 public:
  /// Takes the labels that pass the options. Throws usage when those of a tier come from several judges or
  /// definitions: they are never mixed.
  Labels(const store::Catalog& catalog, const Options& options);

  /// -1: not labelled.
  [[nodiscard]] int type1(const std::string& citing, const std::string& cited) const;
  [[nodiscard]] int type2(const std::string& citing, const std::string& cited) const;
  [[nodiscard]] bool has(Tier tier) const { return sources_.contains(tier); }
  /// "judge model definition" of a tier.
  [[nodiscard]] const std::map<Tier, std::string>& sources() const noexcept { return sources_; }
  /// Labels left out because their probability is below the options'.
  [[nodiscard]] std::uint64_t unsure() const noexcept { return unsure_; }
  /// How often each value was given, tier by tier, among the labels used.
  [[nodiscard]] const std::map<Tier, std::map<int, std::uint64_t>>& counts() const noexcept {
    return counts_;
  }

 private:
  struct Pair {
    int type1 = -1;
    int type2 = -1;
  };
  [[nodiscard]] const Pair* find(const std::string& citing, const std::string& cited) const;

  std::unordered_map<std::string, Pair> pairs_;
  std::map<Tier, std::string> sources_;
  std::map<Tier, std::map<int, std::uint64_t>> counts_;
  std::uint64_t unsure_ = 0;
};

}  // namespace mustcite::release
