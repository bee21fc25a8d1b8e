#pragma once

#include <string>
#include <vector>

#include "core/base/progress.hpp"
#include "engine/snapshot/snapshot.hpp"
#include "testing/temp_folder.hpp"

namespace mustcite::test {

/// Papers of our own as a snapshot: titles and abstracts, one a year from 2001 on, so rows stand in their
/// order.
class SmallCollection : public snapshot::Source {
 public:
  explicit SmallCollection(std::vector<std::pair<std::string, std::string>> papers)
      : papers_(std::move(papers)) {}

  void each_paper(const std::function<void(const Paper&)>& visit) const override {
    int year = 2001;
    for (const auto& [title, abstract] : papers_) {
      Paper paper;
      paper.id = PaperId("p" + std::to_string(year));
      paper.title = title;
      paper.abstract = abstract;
      paper.date = Date{year++, 0, 0};
      visit(paper);
    }
  }
  void each_citation(const std::function<void(const Citation&)>&) const override {}

  [[nodiscard]] snapshot::Snapshot open() const {
    // Mapped: the numbers stay readable when the folder is gone.
    const testing::TempFolder folder;
    SilentProgress progress;
    snapshot::build(*this, folder.path(), progress);
    auto snapshot = snapshot::Snapshot::open(folder.path());
    return snapshot;
  }

 private:
  std::vector<std::pair<std::string, std::string>> papers_;
};

}  // namespace mustcite::test
