#include "stages/collect/venues/one_page_site.hpp"

#include <utility>

#include "stages/collect/venues/listing_parts.hpp"

namespace mustcite::collect {
namespace {

class OnePageSite final : public Site {
 public:
  explicit OnePageSite(OnePage page) : page_(std::move(page)) {}

  std::vector<std::string> hosts() const override { return page_.hosts; }
  std::vector<std::string> starts() const override { return page_.urls; }
  Listing list(Pages& pages) override {
    Listing whole;
    for (const std::string& url : page_.urls)
      append(page_.read_list(pages.list(url, page_.expect), url), whole);
    return whole;
  }
  bool has_details(const Record& record) const override {
    if (!page_.read_details || record.page_url.empty()) return false;
    return !page_.has_details || page_.has_details(record);
  }
  void read_details(std::string_view page, Record& record) const override {
    page_.read_details(page, record);
  }

 private:
  OnePage page_;
};

}  // namespace

std::unique_ptr<Site> one_page_site(OnePage page) {
  return std::make_unique<OnePageSite>(std::move(page));
}

}  // namespace mustcite::collect
