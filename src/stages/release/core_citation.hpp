#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/store/catalog.hpp"

namespace mustcite::release {

/// A query whose citations are asked for, and the years of the papers that may answer.
struct CoreQuery {
  std::string id;
  int year = 0;
  int last_year = 0;  ///< later papers after this one do not count; 0: all count
  std::vector<std::string> cited;
};

/// Type IV: which citations of a query do the papers that come after it repeat? A later paper is one of the
/// query's year or after that cites the query.
class CoreCitations {
 public:
  /// Reads the catalog's citations once. `year_of` dates a citing paper whose citations are not dated; papers
  /// without any date do not count.
  CoreCitations(const store::Catalog& catalog, const std::vector<CoreQuery>& queries,
                const std::function<int(const std::string&)>& year_of);

  /// Later papers that cite the query.
  [[nodiscard]] std::uint64_t later(const std::string& query) const;
  /// Those of them that cite the paper as well.
  [[nodiscard]] std::uint64_t together(const std::string& query, const std::string& cited) const;

 private:
  struct Counts {
    int year = 0;
    int last_year = 0;
    std::uint64_t later = 0;
    std::unordered_map<std::string, std::uint64_t> together;
  };
  void count(const std::vector<Citation>& group, const std::function<int(const std::string&)>& year_of);

  std::unordered_map<std::string, Counts> queries_;
};

}  // namespace mustcite::release
