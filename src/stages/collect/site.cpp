#include "stages/collect/site.hpp"

#include "stages/collect/venues/sites.hpp"

namespace mustcite::collect {

void Site::read_details(std::string_view, Record&) const {}
void Site::read_second(std::string_view, Record&) const {}

std::unique_ptr<Site> make_site(const Place& place, const Edition& edition) {
  switch (place.source) {
    case Source::neurips:
    case Source::neurips_datasets:
    case Source::iclr_proceedings:
      return neurips_site(place);
    case Source::pmlr:
      return pmlr_site(place);
    case Source::openreview:
      return openreview_site(place);
    case Source::virtual_site:
      return virtual_site(place, edition);
    case Source::iclr_sites:
    case Source::iclr_wiki:
      return iclr_site(place);
    case Source::cvf:
      return cvf_site(place);
    case Source::ecva:
      return ecva_site(edition);
    case Source::acl_xml:
    case Source::acl_pages:
      return acl_site(place);
    case Source::aaai_ojs:
      return ojs_site(edition);
    case Source::aaai_oai:
      return oai_site(edition);
    case Source::aaai_library:
      return aaai_library_site(place);
    case Source::aaai_pages:
      return aaai_pages_site(place);
    case Source::ijcai:
    case Source::ijcai_accepted:
      return ijcai_site(place, edition);
    case Source::ijcai_old:
      return ijcai_old_site(place, edition);
    case Source::icml_sites:
      return icml_site(place);
    case Source::paper_links:
      return paper_links_site(place);
    case Source::jmlr:
      return jmlr_site(place);
    case Source::auai:
      break;
  }
  return auai_site(place);
}

}  // namespace mustcite::collect
