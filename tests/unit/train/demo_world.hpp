#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/progress.hpp"
#include "core/io/lines.hpp"
#include "core/schema/jsonl.hpp"
#include "engine/index/sparse_index.hpp"
#include "engine/snapshot/snapshot.hpp"

namespace mustcite::test {

/// The demo corpus that ships: 350 papers and the citations among them.
class DemoWorld : public snapshot::Source {
 public:
  void each_paper(const std::function<void(const Paper&)>& visit) const override {
    each_line("papers.jsonl", [&](std::string_view line) { visit(paper_from_json(line)); });
  }
  void each_citation(const std::function<void(const Citation&)>& visit) const override {
    each_line("citations.jsonl", [&](std::string_view line) { visit(citation_from_json(line)); });
  }

  /// Snapshot and text index in `folder`, which exists.
  void build(const std::filesystem::path& folder) const {
    SilentProgress progress;
    snapshot::build(*this, folder, progress);
    const auto snapshot = snapshot::Snapshot::open(folder);
    index::SparseIndexBuilder builder({});
    for (std::uint32_t i = 0; i < snapshot.size(); ++i) {
      const auto view = snapshot.document(DocId{i});
      builder.add({{view.title, view.abstract}});
    }
    builder.write(folder / "text", snapshot.digest());
  }

 private:
  static void each_line(const std::string& name, const std::function<void(std::string_view)>& visit) {
    io::LineReader lines(std::string(MUSTCITE_SOURCE_DIR "/data/demo/") + name);
    std::string_view line;
    while (lines.next(line)) visit(line);
  }
};

}  // namespace mustcite::test
