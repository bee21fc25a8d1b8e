#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "stages/collect/site.hpp"

namespace mustcite::collect {

/// A layout that lists everything on one page, or on a few of one kind. What most venues need.
struct OnePage {
  std::vector<std::string> hosts = {};
  std::vector<std::string> urls = {};
  net::Expect expect = net::Expect::html;
  std::function<Listing(std::string_view page, std::string_view base)> read_list = {};
  /// Completes a record from its own page; empty: no paper has one.
  std::function<void(std::string_view page, Record& record)> read_details = {};
  /// Which papers have a page of their own; empty: all with an address.
  std::function<bool(const Record& record)> has_details = {};
};
[[nodiscard]] std::unique_ptr<Site> one_page_site(OnePage page);

}  // namespace mustcite::collect
