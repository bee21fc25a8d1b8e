#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>

#include "core/store/catalog.hpp"
#include "stages/release/release.hpp"

namespace mustcite::release {

/// The papers of the target venues, and those of other venues that they cite. Without target venues every
/// paper belongs to it.
class CoreSet {
 public:
  CoreSet(const store::Catalog& catalog, const Options& options);

  [[nodiscard]] bool contains(const Paper& paper) const;
  /// Papers of the pool years with an abstract, when citations by evaluation queries count, and when not.
  [[nodiscard]] std::uint64_t size_by_all() const noexcept { return by_all_; }
  [[nodiscard]] std::uint64_t size_without_queries() const noexcept { return without_queries_; }

 private:
  [[nodiscard]] bool is_target(const std::string& venue) const;
  /// Years of the splits whose queries are for evaluation.
  [[nodiscard]] bool is_evaluation_year(int year) const;

  const Options& options_;
  std::unordered_set<std::string> cited_;
  std::uint64_t by_all_ = 0;
  std::uint64_t without_queries_ = 0;
};

}  // namespace mustcite::release
