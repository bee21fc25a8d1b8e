#pragma once

#include <memory>

#include "stages/collect/site.hpp"

// One maker a site; make_site chooses.
namespace mustcite::collect {

[[nodiscard]] std::unique_ptr<Site> neurips_site(const Place& place);
[[nodiscard]] std::unique_ptr<Site> pmlr_site(const Place& place);
[[nodiscard]] std::unique_ptr<Site> openreview_site(const Place& place);
[[nodiscard]] std::unique_ptr<Site> virtual_site(const Place& place, const Edition& edition);
[[nodiscard]] std::unique_ptr<Site> iclr_site(const Place& place);
[[nodiscard]] std::unique_ptr<Site> cvf_site(const Place& place);
[[nodiscard]] std::unique_ptr<Site> ecva_site(const Edition& edition);
[[nodiscard]] std::unique_ptr<Site> acl_site(const Place& place);
[[nodiscard]] std::unique_ptr<Site> ojs_site(const Edition& edition);
[[nodiscard]] std::unique_ptr<Site> oai_site(const Edition& edition);
[[nodiscard]] std::unique_ptr<Site> aaai_library_site(const Place& place);
[[nodiscard]] std::unique_ptr<Site> aaai_pages_site(const Place& place);
[[nodiscard]] std::unique_ptr<Site> ijcai_site(const Place& place, const Edition& edition);
[[nodiscard]] std::unique_ptr<Site> ijcai_old_site(const Place& place, const Edition& edition);
[[nodiscard]] std::unique_ptr<Site> icml_site(const Place& place);
[[nodiscard]] std::unique_ptr<Site> paper_links_site(const Place& place);
[[nodiscard]] std::unique_ptr<Site> jmlr_site(const Place& place);
[[nodiscard]] std::unique_ptr<Site> auai_site(const Place& place);

}  // namespace mustcite::collect
