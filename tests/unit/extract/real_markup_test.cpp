// The real GROBID and Nougat files beside the repository, when they are there: all of them are read, and
// those of a PDF that is there too are compared with the native reader. Prints tables; run it by itself to
// read them.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <pugixml.hpp>
#include <set>
#include <sstream>

#include "core/io/file.hpp"
#include "core/text/normalise.hpp"
#include "stages/extract/extract.hpp"
#include "stages/extract/nougat/read_nougat.hpp"
#include "stages/extract/recipe.hpp"
#include "stages/extract/tei/read_tei.hpp"

namespace {

using namespace mustcite;
using namespace mustcite::extract;
namespace fs = std::filesystem;

fs::path shared_folder() {
  const char* chosen = std::getenv("MUSTCITE_SHARED");
  return (chosen != nullptr ? fs::path(chosen) : fs::path(MUSTCITE_SOURCE_DIR) / ".." / "shared") / "extract";
}

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  if (!fs::exists(folder)) return files;
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

WorkerOptions worker() {
  WorkerOptions options;
  options.program = fs::path(MUSTCITE_BINARY_DIR) / "bin" / "mustcite-pdf";
  return options;
}

/// Everything a document promises of its offsets.
void expect_sound(const Document& document, const std::string& name) {
  EXPECT_TRUE(text::is_valid_utf8(document.text)) << name;
  std::size_t end = 0;
  for (const auto& section : document.sections) {
    EXPECT_EQ(section.span.begin, end) << name;
    end = section.span.end;
  }
  EXPECT_EQ(end, document.text.size()) << name;
  std::size_t last = 0;
  for (const auto& mention : document.mentions) {
    EXPECT_LE(last, mention.span.begin) << name;
    last = mention.span.begin;
    EXPECT_LE(mention.span.end, document.text.size()) << name;
    EXPECT_FALSE(mention.references.empty()) << name;
    const Span window = context_window(document, mention);
    EXPECT_LE(window.begin, mention.span.begin) << name;
    EXPECT_GE(window.end, mention.span.end) << name;
  }
}

/// How often each destination is linked, and how many destinations there are; by paper.
struct Gold {
  std::size_t destinations = 0, mentions = 0;
  std::map<std::string, std::size_t> by_key;
};
std::map<std::string, Gold> read_gold(const fs::path& folder) {
  std::map<std::string, Gold> gold;
  const auto each_row = [](const fs::path& file, auto visit) {
    std::ifstream in(file);
    std::string line;
    std::getline(in, line);
    while (std::getline(in, line)) {
      std::vector<std::string> cells;
      std::istringstream row(line);
      for (std::string cell; std::getline(row, cell, '\t');) cells.push_back(cell);
      visit(cells);
    }
  };
  each_row(folder / "pdf-link-gold.tsv", [&](const auto& row) {
    gold[row.at(0)].destinations = std::stoul(row.at(2));
    gold[row.at(0)].mentions = std::stoul(row.at(4));
  });
  each_row(folder / "pdf-link-mentions.tsv",
           [&](const auto& row) { gold[row.at(0)].by_key[row.at(1)] = std::stoul(row.at(2)); });
  return gold;
}

using Counts = std::vector<std::size_t>;  // mentions by entry

std::size_t sum(const Counts& counts) {
  std::size_t all = 0;
  for (const std::size_t count : counts) all += count;
  return all;
}

Counts counts_of(const Document& document) {
  Counts counts(document.references.size(), 0);
  for (const auto& mention : document.mentions) {
    for (const std::uint32_t reference : mention.references) ++counts[reference];
  }
  return counts;
}

/// GROBID's own answer: its marks, and how often it links each entry.
struct Theirs {
  std::size_t marks = 0;
  Counts linked;
};
Theirs targets_of(const std::string& xml, const Document& document) {
  std::map<std::string, std::size_t> at;
  for (std::size_t i = 0; i < document.references.size(); ++i) at[document.references[i].destination] = i;
  Theirs theirs;
  theirs.linked.resize(document.references.size());
  pugi::xml_document parsed;
  parsed.load_buffer(xml.data(), xml.size());
  for (const auto& found : parsed.select_nodes("//*[local-name()='ref'][@type='bibr']")) {
    ++theirs.marks;
    const std::string target = found.node().attribute("target").value();
    if (const auto entry = at.find(target.substr(std::min<std::size_t>(1, target.size()))); entry != at.end())
      ++theirs.linked[entry->second];
  }
  return theirs;
}

std::set<std::string> words_of(const std::string& raw) {
  std::set<std::string> words;
  std::string word;
  for (const char c : text::fold(raw) + " ") {
    if (c >= 'a' && c <= 'z') {
      word += c;
      continue;
    }
    if (word.size() >= 4) words.insert(word);
    word.clear();
  }
  return words;
}

/// The entry of the PDF that each entry of the other document is: most shared words, half of the fewer at
/// least.
std::vector<int> same_entries(const Document& other, const Document& pdf) {
  std::vector<std::set<std::string>> words;
  for (const auto& entry : pdf.references) words.push_back(words_of(entry.fields.raw));
  std::vector<int> match;
  for (const auto& entry : other.references) {
    const auto own = words_of(entry.fields.raw);
    std::size_t best = 0;
    int chosen = -1;
    for (std::size_t i = 0; i < words.size(); ++i) {
      std::size_t shared = 0;
      for (const auto& word : own) shared += words[i].contains(word) ? 1 : 0;
      if (shared <= best || shared * 2 < std::min(own.size(), words[i].size())) continue;
      best = shared;
      chosen = static_cast<int>(i);
    }
    match.push_back(chosen);
  }
  return match;
}

/// Mentions that the links of the PDF have too: for each entry the smaller of both counts.
std::size_t right(const Counts& counts, const std::vector<int>& match, const Document& pdf,
                  const Gold& gold) {
  std::map<std::string, std::size_t> found;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (match[i] >= 0) found[pdf.references[static_cast<std::size_t>(match[i])].destination] += counts[i];
  }
  std::size_t met = 0;
  for (const auto& [key, count] : gold.by_key) met += std::min(count, found[key]);
  return met;
}

TEST(RealMarkupSlow, EveryFileIsReadAndItsOffsetsAreSound) {
  const auto tei = files_in(shared_folder() / "tei");
  const auto markup = files_in(shared_folder() / "nougat");
  if (tei.empty() || markup.empty()) GTEST_SKIP() << "skipped: no ../shared";
  std::size_t with_list = 0;
  for (const auto& file : tei) {
    const Document document = read_tei(io::read_file(file), file.filename().string(), {});
    expect_sound(document, file.filename().string());
    with_list += document.references.empty() ? 0 : 1;
  }
  EXPECT_GE(with_list + 1, tei.size());  // of one paper GROBID lost the list
  for (const auto& file : markup) {
    const Document document = read_nougat(io::read_file(file), file.filename().string(), nullptr, {});
    expect_sound(document, file.filename().string());
    const bool whole = !file.filename().string().starts_with("pages__");
    EXPECT_EQ(document.references.empty(), !whole) << file.filename();
    if (whole) {
      EXPECT_NE(judge(document).verdict, Verdict::failed)
          << file.filename() << ": " << judge(document).message;
    }
  }
}

TEST(RealMarkupSlow, AgainstGrobidsTeiOfTheSamePdfs) {
  const fs::path folder = shared_folder();
  if (!fs::exists(folder / "pdf-link-gold.tsv")) GTEST_SKIP() << "skipped: no ../shared";
  const auto gold = read_gold(folder);
  WorkerPool pool(worker());
  Options on;
  Options off;
  off.link_annotations = false;
  std::size_t papers = 0, exact_theirs = 0, exact_text = 0, exact_links = 0;
  std::size_t all = 0, marks = 0, linked_theirs = 0, right_theirs = 0, linked_tei = 0, right_tei = 0,
              linked_text = 0, right_text = 0;
  fmt::print(
      "| paper | references: PDF | GROBID | ours, text | ours, links | mentions: PDF | GROBID linked | right "
      "| "
      "our TEI reader | right | ours, text | right |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
  for (const auto& file : files_in(folder / "tei")) {
    std::string stem = file.filename().string();
    stem.resize(stem.size() - std::string(".tei.xml").size());
    std::replace(stem.begin(), stem.end(), '-', '_');
    const fs::path pdf = folder / "pdf" / (stem + ".pdf");
    if (!fs::exists(pdf)) continue;
    const std::string xml = io::read_file(file);
    const Document tei = read_tei(xml, stem, {});
    const Document links = read_pdf(pdf, on, pool);
    const Document text = read_pdf(pdf, off, pool);
    const Theirs theirs = targets_of(xml, tei);
    const auto wanted = gold.find(stem);
    if (wanted == gold.end() || wanted->second.destinations == 0 || wanted->second.mentions == 0) {
      fmt::print("| {} | | {} | {} | {} | | {} | | {} | | {} | |\n", stem, tei.references.size(),
                 text.references.size(), links.references.size(), sum(theirs.linked), sum(counts_of(tei)),
                 sum(counts_of(text)));
      continue;
    }
    const Gold& truth = wanted->second;
    const auto match = same_entries(tei, links);
    const auto match_text = same_entries(text, links);
    const std::size_t met_theirs = right(theirs.linked, match, links, truth);
    const std::size_t met_tei = right(counts_of(tei), match, links, truth);
    const std::size_t met_text = right(counts_of(text), match_text, links, truth);
    ++papers;
    exact_theirs += tei.references.size() == truth.destinations ? 1 : 0;
    exact_text += text.references.size() == truth.destinations ? 1 : 0;
    exact_links += links.references.size() == truth.destinations ? 1 : 0;
    all += truth.mentions;
    marks += theirs.marks;
    linked_theirs += sum(theirs.linked);
    right_theirs += met_theirs;
    linked_tei += sum(counts_of(tei));
    right_tei += met_tei;
    linked_text += sum(counts_of(text));
    right_text += met_text;
    fmt::print("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", stem, truth.destinations,
               tei.references.size(), text.references.size(), links.references.size(), truth.mentions,
               sum(theirs.linked), met_theirs, sum(counts_of(tei)), met_tei, sum(counts_of(text)), met_text);
  }
  fmt::print(
      "| {} papers with links | | {} exact | {} exact | {} exact | {} | {} | {} | {} | {} | {} | {} |\n",
      papers, exact_theirs, exact_text, exact_links, all, linked_theirs, right_theirs, linked_tei, right_tei,
      linked_text, right_text);
  fmt::print("GROBID marked {}\n", marks);
  ASSERT_GT(papers, 5u);
  EXPECT_GE(exact_text, exact_theirs);
  EXPECT_GE(right_text, right_theirs);
  EXPECT_GE(right_tei, right_theirs);  // linking what GROBID left open must not lose what it had
}

TEST(RealMarkupSlow, NougatAgreesWithThePdfWhereItIsAtHand) {
  const fs::path folder = shared_folder();
  if (!fs::exists(folder / "nougat")) GTEST_SKIP() << "skipped: no ../shared";
  WorkerPool pool(worker());
  std::size_t compared = 0;
  for (const auto& file : files_in(folder / "nougat")) {
    const fs::path pdf = folder / "pdf" / ("st_" + file.stem().string() + ".pdf");
    if (!fs::exists(pdf)) continue;
    ++compared;
    const Document native = read_pdf(pdf, {}, pool);
    const Document document = read_nougat(io::read_file(file), file.filename().string(), &native, {});
    const auto match = same_entries(document, native);
    const auto here = counts_of(document);
    const auto there = counts_of(native);
    std::size_t same_number = 0, met = 0;
    for (std::size_t i = 0; i < match.size(); ++i) {
      if (match[i] < 0) continue;
      const auto other = static_cast<std::size_t>(match[i]);
      same_number += document.references[i].label == native.references[other].label ? 1 : 0;
      met += std::min(here[i], there[other]);
    }
    fmt::print("{}: entries {} and {}, {} with the same number; mentions {} and {}, {} of the same entries\n",
               file.stem().string(), document.references.size(), native.references.size(), same_number,
               sum(here), sum(there), met);
    EXPECT_EQ(same_number, std::min(document.references.size(), native.references.size()));
    EXPECT_GE(met * 100, sum(there) * 90);
    for (const auto& problem : document.problems)
      EXPECT_NE(problem.kind, ProblemKind::renumbered_references) << problem.message;
  }
  EXPECT_GE(compared, 1u);
}

}  // namespace
