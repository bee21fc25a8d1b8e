// The real papers beside the repository, when they are there: references and mentions against what their
// links say, with the links, and by text alone. Prints a table; run it by itself to read it.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include <fmt/format.h>

#include "core/io/file.hpp"
#include "stages/extract/extract.hpp"

namespace {

using namespace mustcite;
using namespace mustcite::extract;
namespace fs = std::filesystem;

fs::path shared_folder() {
  const char* chosen = std::getenv("MUSTCITE_SHARED");
  return (chosen != nullptr ? fs::path(chosen) : fs::path(MUSTCITE_SOURCE_DIR) / ".." / "shared") / "extract";
}

struct Gold {
  int destinations = 0;
  int mentions = 0;
  std::map<std::string, int> by_key;
};

std::vector<std::vector<std::string>> rows_of(const fs::path& file) {
  std::vector<std::vector<std::string>> rows;
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    std::istringstream cells(line);
    rows.emplace_back();
    for (std::string cell; std::getline(cells, cell, '\t');) rows.back().push_back(cell);
  }
  return rows;
}

std::map<std::string, Gold> read_gold(const fs::path& folder) {
  std::map<std::string, Gold> gold;
  for (const auto& row : rows_of(folder / "pdf-link-gold.tsv")) {
    gold[row.at(0)].destinations = std::stoi(row.at(2));
    gold[row.at(0)].mentions = std::stoi(row.at(4));
  }
  for (const auto& row : rows_of(folder / "pdf-link-mentions.tsv"))
    gold[row.at(0)].by_key[row.at(1)] = std::stoi(row.at(2));
  return gold;
}

/// Number of characters other than white space before each byte: a measure that paragraph breaks do not move.
std::vector<std::size_t> solid(const std::string& text) {
  std::vector<std::size_t> counts(text.size() + 1, 0);
  for (std::size_t i = 0; i < text.size(); ++i)
    counts[i + 1] = counts[i] + (text[i] == ' ' || text[i] == '\n' ? 0 : 1);
  return counts;
}

struct Tally {
  std::size_t right = 0, found = 0, gold = 0;
  void add(const Tally& other) {
    right += other.right;
    found += other.found;
    gold += other.gold;
  }
  [[nodiscard]] double precision() const {
    return found == 0 ? 1 : static_cast<double>(right) / static_cast<double>(found);
  }
  [[nodiscard]] double recall() const {
    return gold == 0 ? 1 : static_cast<double>(right) / static_cast<double>(gold);
  }
};

bool same_place(const Box& a, const Box& b) {
  return a.page == b.page && std::fabs(a.y0 + a.y1 - b.y0 - b.y1) < 10 && a.x0 < b.x1 + 1 && b.x0 < a.x1 + 1;
}

std::string entry_of(const Document& document, std::uint32_t index) {
  return document.references[index].fields.raw.substr(0, 45);
}

/// Mentions of the text path against those of the links: same place, same entry.
Tally compare(const Document& links, const Document& text) {
  struct Wanted {
    std::size_t begin, end;
    std::string entry;
    Box box;
    bool met = false;
  };
  const auto at_links = solid(links.text);
  const auto at_text = solid(text.text);
  const bool aligned = at_links.back() == at_text.back();
  std::vector<Wanted> wanted;
  for (const auto& mention : links.mentions) {
    if (!mention.has(Evidence::link)) continue;
    for (const auto reference : mention.references)
      wanted.push_back({at_links[mention.span.begin], at_links[mention.span.end], entry_of(links, reference),
                        mention.box});
  }
  Tally tally;
  tally.gold = wanted.size();
  if (wanted.empty()) return tally;
  for (const auto& mention : text.mentions) {
    for (const auto reference : mention.references) {
      ++tally.found;
      const std::string entry = entry_of(text, reference);
      const auto hit = std::find_if(wanted.begin(), wanted.end(), [&](const Wanted& want) {
        const bool overlaps =
            aligned && want.begin < at_text[mention.span.end] && at_text[mention.span.begin] < want.end;
        return !want.met && want.entry == entry && (overlaps || same_place(want.box, mention.box));
      });
      if (hit == wanted.end()) continue;
      hit->met = true;
      ++tally.right;
    }
  }
  return tally;
}

TEST(RealPdfsSlow, ReferencesAndMentionsAgreeWithTheLinks) {
  const fs::path folder = shared_folder();
  if (!fs::exists(folder / "pdf-link-gold.tsv")) GTEST_SKIP() << "skipped: no ../shared";
  const auto gold = read_gold(folder);
  WorkerOptions worker;
  worker.program = fs::path(MUSTCITE_BINARY_DIR) / "bin" / "mustcite-pdf";
  WorkerPool pool(worker);
  const auto labeller = ReferenceLabeller::load(fs::path(MUSTCITE_SOURCE_DIR) / "data" / "models" / "references");
  int with_destinations = 0;
  int exact_links = 0;
  int exact_text = 0;
  int near_text = 0;
  std::size_t linked = 0;
  std::size_t linked_gold = 0;
  Tally numeric;
  Tally author_year;
  fmt::print("{:40} {:>5} {:>5} {:>5} {:>6} {:>6} {:>6} {:>6}  {}\n", "paper", "dests", "links", "text",
             "gold", "linked", "P", "R", "style");
  for (const auto& [name, wanted] : gold) {
    const std::string bytes = io::read_file(folder / "pdf" / (name + ".pdf"));
    const pdf::Content content = pool.read(bytes, name);
    Options options;
    options.labeller = &labeller;
    const Document on = read_content(content, name, options);
    options.link_annotations = false;
    const Document off = read_content(content, name, options);
    std::map<std::string, int> keys;
    for (const auto& mention : on.mentions) {
      if (!mention.has(Evidence::link)) continue;
      for (const auto reference : mention.references) ++keys[on.references[reference].destination];
    }
    std::size_t met = 0;
    for (const auto& [key, count] : wanted.by_key)
      met += static_cast<std::size_t>(std::min(count, keys[key]));
    const int difference = std::abs(static_cast<int>(off.references.size()) - wanted.destinations);
    if (wanted.destinations > 0) {
      ++with_destinations;
      exact_links += static_cast<int>(on.references.size()) == wanted.destinations ? 1 : 0;
      exact_text += difference == 0 ? 1 : 0;
      near_text += difference <= 1 ? 1 : 0;
      if (wanted.mentions > 0) {
        linked += met;
        linked_gold += static_cast<std::size_t>(wanted.mentions);
      }
    }
    const Tally tally = compare(on, off);
    (off.style == ReferenceStyle::numeric ? numeric : author_year).add(tally);
    fmt::print("{:40.40} {:5} {:5} {:5} {:6} {:6} {:6.3f} {:6.3f}  {}\n", name, wanted.destinations,
               on.references.size(), off.references.size(), wanted.mentions, met, tally.precision(),
               tally.recall(), style_name(off.style));
  }
  fmt::print(
      "{} papers with destinations: exact {} with links, {} by text, within one {}; links read {} of {}\n",
      with_destinations, exact_links, exact_text, near_text, linked, linked_gold);
  fmt::print("by text: numeric P {:.4f} R {:.4f} of {}; author-year P {:.4f} R {:.4f} of {}\n",
             numeric.precision(), numeric.recall(), numeric.gold, author_year.precision(),
             author_year.recall(), author_year.gold);
  EXPECT_GE(exact_links * 100, with_destinations * 95);
  EXPECT_GE(exact_text * 100, with_destinations * 85);
  EXPECT_GE(near_text * 100, with_destinations * 92);
  // Most of what is missing is a wide table whose "Name (year)" the gold counts twice.
  EXPECT_GE(static_cast<double>(linked), 0.99 * static_cast<double>(linked_gold));
  EXPECT_GE(numeric.precision(), 0.96);
  EXPECT_GE(numeric.recall(), 0.99);
  EXPECT_GE(author_year.precision(), 0.96);
  EXPECT_GE(author_year.recall(), 0.96);
}

TEST(RealPdfsSlow, CountsByHandOfPapersWithoutLinksAreMet) {
  const fs::path folder = shared_folder() / "pdf";
  if (!fs::exists(folder)) GTEST_SKIP() << "skipped: no ../shared";
  struct Counted {
    const char* name;
    std::size_t references;
    std::size_t mentions;  ///< 0: not counted by hand
  };
  // Reference counts by hand; mentions by hand, the last one by its links.
  const Counted papers[] = {{"tj_Deep_Sparse_Rectifier_Neural_Networks_Glorot_et_al.", 36, 65},
                            {"sp_fader11", 30, 39},
                            {"tj_He_Deep_Residual_Learning_CVPR_2016_paper", 49, 0},
                            {"tj_hidden_technical_debt_in_machine_learning_systems", 17, 24}};
  WorkerOptions worker;
  worker.program = fs::path(MUSTCITE_BINARY_DIR) / "bin" / "mustcite-pdf";
  WorkerPool pool(worker);
  Options options;
  options.link_annotations = false;
  for (const auto& paper : papers) {
    const Document document = read_pdf(folder / (std::string(paper.name) + ".pdf"), options, pool);
    EXPECT_EQ(document.references.size(), paper.references) << paper.name;
    if (paper.mentions > 0) {
      EXPECT_NEAR(static_cast<double>(document.mentions.size()), static_cast<double>(paper.mentions), 2)
          << paper.name;
    }
  }
}

TEST(RealPdfsSlow, TheBatchReadsAllFilesInOrderAndItsCountsAddUp) {
  const fs::path folder = shared_folder() / "pdf";
  if (!fs::exists(folder)) GTEST_SKIP() << "skipped: no ../shared";
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  files.resize(std::min<std::size_t>(files.size(), 24));
  files.push_back(folder / "no-such-file.pdf");
  Options options;
  options.worker.program = fs::path(MUSTCITE_BINARY_DIR) / "bin" / "mustcite-pdf";
  std::vector<std::string> order;
  SilentProgress progress;
  const auto begin = std::chrono::steady_clock::now();
  const Report report = mustcite::extract::extract(
      files, options, [&](Document&& document) { order.push_back(document.provenance.source); }, progress);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  fmt::print("{} files, {} pages in {:.2f} s\n", report.read, report.pages, seconds);
  EXPECT_EQ(report.files, files.size());
  EXPECT_EQ(report.read + report.rejected, report.files);
  EXPECT_EQ(report.rejected, 1u);
  ASSERT_FALSE(report.ledger.empty());
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
  EXPECT_EQ(report.workers.lost, 0u);
}

}  // namespace
