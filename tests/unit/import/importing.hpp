#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "core/io/file.hpp"
#include "core/store/catalog.hpp"
#include "stages/import/formats.hpp"
#include "stages/import/import.hpp"
#include "testing/temp_folder.hpp"

namespace mustcite::importing {

/// A catalog of its own and files to import into it.
class Importing : public ::testing::Test {
 protected:
  Importing() : catalog_(folder_ / "catalog.sqlite", store::Catalog::Mode::create) {}

  std::filesystem::path file(const std::string& name, const std::string& text) {
    std::filesystem::create_directories((folder_ / name).parent_path());
    io::write_file_atomically(folder_ / name, text);
    return folder_ / name;
  }

  Report import(const std::filesystem::path& input, Options options = {}) {
    options.latest_year = 2030;
    SilentProgress progress;
    const Report report = run(catalog_, input, options, progress);
    for (const Counts& counts : {report.papers, report.citations}) {
      EXPECT_EQ(counts.read, counts.added + counts.updated + counts.unchanged + counts.rejected);
    }
    return report;
  }

  Report import_text(const std::string& name, const std::string& text, Options options = {}) {
    return import(file(name, text), options);
  }

  [[nodiscard]] Paper paper(const std::string& id) const {
    return catalog_.paper(PaperId(id)).value_or(Paper{});
  }

  [[nodiscard]] std::vector<Citation> citations() const {
    std::vector<Citation> all;
    catalog_.each_citation([&](const Citation& citation) { all.push_back(citation); });
    return all;
  }

  /// Reasons of the ledger by line.
  [[nodiscard]] std::map<std::uint64_t, std::string> ledger() const {
    std::map<std::uint64_t, std::string> reasons;
    catalog_.each_reject([&](const store::Reject& reject) { reasons[reject.line] += reject.reason; });
    return reasons;
  }

  mustcite::testing::TempFolder folder_;
  store::Catalog catalog_;
};

/// Keeps what a reader puts.
class Collected final : public Output {
 public:
  void put(Item item) override { items.push_back(std::move(item)); }
  void consumed(std::uint64_t) override {}

  std::vector<Item> items;
};

}  // namespace mustcite::importing
