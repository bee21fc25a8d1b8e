#include "stages/collect/pages.hpp"

#include "stages/collect/html/decode_page.hpp"

namespace mustcite::collect {

std::string Pages::get(const net::PageRequest& request) {
  const net::Page page = fetcher_.get(request);
  if (!page.ok()) throw PageUnavailable(page.end, request.url, page.problem);
  if (request.expect == net::Expect::html) return html::decode_page(page.body, page.type);
  return page.body;
}

std::string Pages::list(const std::string& url, net::Expect expect) {
  net::PageRequest request;
  request.url = url;
  request.expect = expect;
  request.may_change = true;
  return get(request);
}

std::string Pages::fixed(const std::string& url, net::Expect expect) {
  net::PageRequest request;
  request.url = url;
  request.expect = expect;
  return get(request);
}

void Pages::forget(const std::string& url) {
  net::PageRequest request;
  request.url = url;
  fetcher_.forget(request);
}

}  // namespace mustcite::collect
