#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/io/file.hpp"
#include "core/io/lines.hpp"
#include "core/schema/jsonl.hpp"
#include "engine/recommend/query_file.hpp"
#include "engine/recommend/recommend.hpp"
#include "testing/temp_folder.hpp"

namespace mustcite::recommend {
namespace {

namespace fs = std::filesystem;

fs::path source_folder() {
  return MUSTCITE_SOURCE_DIR;
}

/// The demo corpus that the program ships.
class DemoCorpus final : public snapshot::Source {
 public:
  void each_paper(const std::function<void(const Paper&)>& visit) const override {
    io::LineReader lines(source_folder() / "data/demo/papers.jsonl");
    for (std::string_view line; lines.next(line);) visit(paper_from_json(line));
  }
  void each_citation(const std::function<void(const Citation&)>& visit) const override {
    io::LineReader lines(source_folder() / "data/demo/citations.jsonl");
    for (std::string_view line; lines.next(line);) visit(citation_from_json(line));
  }
};

/// Mean share of what each draft is expected to cite among its first `depth` papers.
double recall(const Recommender& recommender, const std::string& method, std::size_t depth) {
  Options options;
  options.method = method;
  options.depth = depth;
  double sum = 0;
  for (int draft = 1; draft <= 5; ++draft) {
    const fs::path file = source_folder() / ("data/demo/drafts/" + std::to_string(draft) + ".json");
    const auto expected =
        nlohmann::json::parse(io::read_file(file, 1 << 20)).at("expected").get<std::vector<std::string>>();
    const Answer answer = recommender.answer(read_draft(file), options);
    const auto found = std::count_if(answer.rows.begin(), answer.rows.end(), [&](const Row& row) {
      return std::find(expected.begin(), expected.end(), row.paper.id.str()) != expected.end();
    });
    sum += static_cast<double>(found) / static_cast<double>(expected.size());
  }
  return sum / 5;
}

TEST(DemoDrafts, TheShippedRankerFindsNoLessThanBm25) {
  const testing::TempFolder folder;
  SilentProgress progress;
  IndexOptions options;
  options.source = "catalog";
  static_cast<void>(build_index(DemoCorpus(), folder / "index", options, progress));
  const auto recommender = Recommender::open(folder / "index", source_folder() / "data/models/ranker");
  for (const std::size_t depth : {10, 20}) {
    const double ranker = recall(recommender, "mustcite", depth);
    const double bm25 = recall(recommender, "bm25", depth);
    EXPECT_GE(ranker, bm25) << "of the first " << depth;
    EXPECT_GE(ranker, 0.4) << "of the first " << depth;
  }
}

}  // namespace
}  // namespace mustcite::recommend
