// Eleven papers of different styles that carry no citation links, marked by hand from pictures of their
// pages: every reference and every mention, page by page in reading order (papers.tsv, references.tsv,
// mentions.tsv). The markers' places are bytes of the text that the reader makes; a marker that has moved is
// looked for by its checksum, so that the marks outlive changes of the layout.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <span>
#include <sstream>

#include <fmt/format.h>

#include "core/base/hash.hpp"
#include "core/text/normalise.hpp"
#include "stages/extract/extract.hpp"

namespace {

using namespace mustcite;
using namespace mustcite::extract;
namespace fs = std::filesystem;

fs::path shared_folder() {
  const char* chosen = std::getenv("MUSTCITE_SHARED");
  return (chosen != nullptr ? fs::path(chosen) : fs::path(MUSTCITE_SOURCE_DIR) / ".." / "shared") /
         "extract" / "pdf";
}

using Row = std::vector<std::string>;

/// Rows of a file by their first cell, which is the paper.
std::map<std::string, std::vector<Row>> rows_of(const char* name) {
  std::map<std::string, std::vector<Row>> rows;
  std::ifstream in(fs::path(MUSTCITE_SOURCE_DIR) / "tests" / "golden" / "marked" / name);
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    std::istringstream cells(line);
    Row row;
    for (std::string cell; std::getline(cells, cell, '\t');) row.push_back(cell);
    rows[row.at(0)].push_back(row);
  }
  return rows;
}

std::string checksum_of(std::string_view text) {
  return fmt::format("{:016x}", checksum64(std::as_bytes(std::span(text.data(), text.size()))));
}

/// An entry is known by its first letters and digits.
std::string entry_checksum(const ReferenceEntry& entry) {
  return checksum_of(text::title_key(entry.fields.raw).substr(0, 40));
}

struct Mark {
  std::uint32_t page = 0;
  Span span;
  std::set<std::uint32_t> entries;  ///< counted from 0
  std::string checksum;
};

std::vector<Mark> marks_of(const std::vector<Row>& rows) {
  std::vector<Mark> marks;
  for (const auto& row : rows) {
    Mark mark{static_cast<std::uint32_t>(std::stoul(row.at(1))),
              {std::stoul(row.at(2)), std::stoul(row.at(3))},
              {},
              row.at(5)};
    std::istringstream entries(row.at(4));
    for (std::string entry; std::getline(entries, entry, ',');)
      mark.entries.insert(static_cast<std::uint32_t>(std::stoul(entry) - 1));
    marks.push_back(mark);
  }
  return marks;
}

/// Moves the mark to the nearest place within 6,000 bytes where its marker stands. False: nowhere.
bool settle(Mark& mark, std::string_view text, std::ptrdiff_t shift) {
  const std::size_t size = mark.span.end - mark.span.begin;
  for (std::ptrdiff_t off = 0; off <= 6000; ++off) {
    for (const std::ptrdiff_t step : {off, -off}) {
      const auto at = static_cast<std::ptrdiff_t>(mark.span.begin) + shift + step;
      if (at < 0 || static_cast<std::size_t>(at) + size > text.size()) continue;
      if (checksum_of(text.substr(static_cast<std::size_t>(at), size)) != mark.checksum) continue;
      mark.span = {static_cast<std::size_t>(at), static_cast<std::size_t>(at) + size};
      return true;
    }
  }
  return false;
}

struct Score {
  std::size_t gold = 0, found = 0, right = 0;
  void add(const Score& other) {
    gold += other.gold;
    found += other.found;
    right += other.right;
  }
  [[nodiscard]] double f1() const {
    return gold + found == 0 ? 1 : 2.0 * static_cast<double>(right) / static_cast<double>(gold + found);
  }
};

/// Pairs of a marker and an entry it names: right where a mark overlaps and names the same entry.
Score score_mentions(const Document& document, std::vector<Mark> marks) {
  Score score;
  for (const auto& mark : marks) score.gold += mark.entries.size();
  for (const auto& mention : document.mentions) {
    for (const std::uint32_t entry : mention.references) {
      ++score.found;
      for (auto& mark : marks) {
        const bool overlaps = mark.span.begin < mention.span.end && mention.span.begin < mark.span.end;
        if (!overlaps || mark.page != mention.box.page || mark.entries.erase(entry) == 0) continue;
        ++score.right;
        break;
      }
    }
  }
  return score;
}

Score score_entries(const Document& document, const std::vector<Row>& rows) {
  Score score{rows.size(), document.references.size(), 0};
  std::multiset<std::string> wanted;
  for (const auto& row : rows) wanted.insert(row.at(3));
  for (const auto& entry : document.references) {
    const auto at = wanted.find(entry_checksum(entry));
    if (at == wanted.end()) continue;
    wanted.erase(at);
    ++score.right;
  }
  return score;
}

TEST(MarkedPapersSlow, ReferencesAndMentionsAreThoseMarkedByHand) {
  const fs::path folder = shared_folder();
  if (!fs::exists(folder)) GTEST_SKIP() << "skipped: no ../shared";
  const auto papers = rows_of("papers.tsv");
  const auto references = rows_of("references.tsv");
  const auto mentions = rows_of("mentions.tsv");
  ASSERT_GE(papers.size(), 10u);
  WorkerOptions worker;
  worker.program = fs::path(MUSTCITE_BINARY_DIR) / "bin" / "mustcite-pdf";
  WorkerPool pool(worker);
  const auto labeller =
      ReferenceLabeller::load(fs::path(MUSTCITE_SOURCE_DIR) / "data" / "models" / "references");
  Options options;
  options.labeller = &labeller;
  options.link_annotations = false;
  Score all_entries;
  Score all_mentions;
  std::size_t marked = 0;
  std::size_t in_place = 0;
  fmt::print("{:32} {:12} {:>10} {:>10} {:>8} {:>8}\n", "paper", "style", "entries", "mentions", "F1", "F1");
  for (const auto& [name, rows] : papers) {
    const Row& paper = rows.front();
    const Document document = read_pdf(folder / (name + ".pdf"), options, pool);
    EXPECT_EQ(std::to_string(document.provenance.pages), paper.at(1)) << name;
    EXPECT_EQ(style_name(document.style), paper.at(2)) << name;
    auto marks = marks_of(mentions.at(name));
    EXPECT_EQ(std::to_string(marks.size()), paper.at(4)) << name;
    std::ptrdiff_t shift = 0;
    for (auto& mark : marks) {
      const Span before = mark.span;
      if (!settle(mark, document.text, shift)) {
        mark.span = {document.text.size(), document.text.size()};  // counts as not found
        continue;
      }
      shift = static_cast<std::ptrdiff_t>(mark.span.begin) - static_cast<std::ptrdiff_t>(before.begin);
      in_place += mark.span == before ? 1 : 0;
    }
    marked += marks.size();
    const Score of_entries = score_entries(document, references.at(name));
    const Score of_mentions = score_mentions(document, marks);
    fmt::print("{:32.32} {:12} {:>4} of {:>3} {:>4} of {:>3} {:8.3f} {:8.3f}\n", name, paper.at(2),
               of_entries.right, of_entries.gold, of_mentions.right, of_mentions.gold, of_entries.f1(),
               of_mentions.f1());
    EXPECT_GE(of_entries.f1(), 0.95) << name;
    EXPECT_GE(of_mentions.f1(), 0.95) << name;
    all_entries.add(of_entries);
    all_mentions.add(of_mentions);
  }
  fmt::print("entries F1 {:.4f} of {}; mentions F1 {:.4f} of {}; {} of {} markers at their byte\n",
             all_entries.f1(), all_entries.gold, all_mentions.f1(), all_mentions.gold, in_place, marked);
  EXPECT_GE(all_entries.f1(), 0.95);
  EXPECT_GE(all_mentions.f1(), 0.95);
  EXPECT_GE(in_place * 20, marked * 19);
}

}  // namespace
