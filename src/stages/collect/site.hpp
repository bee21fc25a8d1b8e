#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "stages/collect/pages.hpp"
#include "stages/collect/record.hpp"
#include "stages/collect/table.hpp"

namespace mustcite::collect {

/// One layout of one site: what a new venue implements. An object serves one place of one edition. All
/// questions but `list` are asked from several threads.
class Site {
 public:
  virtual ~Site() = default;

  /// The hosts that its pages, and the links on them that are followed, lie on. The first one holds the list.
  [[nodiscard]] virtual std::vector<std::string> hosts() const = 0;
  /// The addresses with which `list` begins: what a dry run shows.
  [[nodiscard]] virtual std::vector<std::string> starts() const = 0;
  /// All papers of the place. Throws PageUnavailable or LayoutChanged when the list cannot be had.
  [[nodiscard]] virtual Listing list(Pages& pages) = 0;

  /// Whether the paper has a page that says more than the list.
  [[nodiscard]] virtual bool has_details(const Record&) const { return false; }
  /// Completes a record from its own page. Throws LayoutChanged when this is no such page.
  virtual void read_details(std::string_view page, Record& record) const;

  /// The address of a JSON file that says the same as the paper's page: read when the page cannot be had or
  /// has no abstract. Empty: there is none.
  [[nodiscard]] virtual std::string second_address(const Record&) const { return {}; }
  /// Completes a record from that file. Throws LayoutChanged when it is another.
  virtual void read_second(std::string_view text, Record& record) const;
};

/// The reader of a place.
[[nodiscard]] std::unique_ptr<Site> make_site(const Place& place, const Edition& edition);

}  // namespace mustcite::collect
