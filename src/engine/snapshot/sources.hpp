#pragma once

#include <filesystem>

#include "core/store/catalog.hpp"
#include "engine/snapshot/snapshot.hpp"

namespace mustcite::snapshot {

/// The whole catalog of a workspace, in the one state it has when the source is made.
class CatalogSource final : public Source {
 public:
  explicit CatalogSource(const store::Catalog& catalog) : catalog_(&catalog), reading_(catalog) {}
  void each_paper(const std::function<void(const Paper&)>& visit) const override;
  void each_citation(const std::function<void(const Citation&)>& visit) const override;

 private:
  const store::Catalog* catalog_;
  store::Catalog::Reading reading_;
};

/// The corpus and evidence of a release folder. A broken line is an error: a release is frozen, not cleaned.
class ReleaseSource final : public Source {
 public:
  /// Throws not_found when `folder` holds no release.
  explicit ReleaseSource(std::filesystem::path folder);
  void each_paper(const std::function<void(const Paper&)>& visit) const override;
  void each_citing_paper(const std::function<void(const Paper&)>& visit) const override;
  void each_citation(const std::function<void(const Citation&)>& visit) const override;

 private:
  std::filesystem::path folder_;
};

}  // namespace mustcite::snapshot
