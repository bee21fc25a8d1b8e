// References of real papers, checked by hand one by one: which paper of the pool each means, or none.
// references.tsv is a random sample (180 that were linked, 120 that were not); hard.tsv holds the mistakes
// that a search among all 2,957 references found, mended or not: here only a wrong link fails.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <span>
#include <sstream>

#include <fmt/format.h>

#include "core/base/hash.hpp"
#include "core/io/lines.hpp"
#include "core/schema/jsonl.hpp"
#include "core/text/normalise.hpp"
#include "stages/extract/extract.hpp"
#include "stages/link/link.hpp"

namespace {

using namespace mustcite;
namespace fs = std::filesystem;

fs::path shared_folder() {
  const char* chosen = std::getenv("MUSTCITE_SHARED");
  return chosen != nullptr ? fs::path(chosen) : fs::path(MUSTCITE_SOURCE_DIR) / ".." / "shared";
}

struct Checked {
  std::string paper, entry, checksum, pool_id;
};

std::vector<Checked> read_checked(const char* name) {
  std::vector<Checked> rows;
  std::ifstream in(fs::path(MUSTCITE_SOURCE_DIR) / "tests" / "golden" / "link" / name);
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    std::istringstream cells(line);
    Checked row;
    std::getline(cells, row.paper, '\t');
    std::getline(cells, row.entry, '\t');
    std::getline(cells, row.checksum, '\t');
    std::getline(cells, row.pool_id, '\t');
    rows.push_back(row);
  }
  return rows;
}

/// An entry is known by the letters of its print, wherever it stands in the list.
std::string checksum_of(const std::string& raw) {
  const std::string key = text::title_key(raw);
  return fmt::format("{:016x}", checksum64(std::as_bytes(std::span(key.data(), key.size()))));
}

link::LinkIndex pool_index() {
  link::LinkIndexBuilder builder;
  io::LineReader lines(shared_folder() / "data" / "pool.jsonl.zst");
  for (std::string_view line; lines.next(line);) builder.add(paper_from_json(line));
  return builder.build();
}

/// Ids that the entries of the papers are linked to, "-" for none, by paper and checksum.
std::map<std::pair<std::string, std::string>, std::string> link_all(const std::vector<Checked>& rows) {
  const link::LinkIndex index = pool_index();
  const auto labeller =
      extract::ReferenceLabeller::load(fs::path(MUSTCITE_SOURCE_DIR) / "data" / "models" / "references");
  std::map<std::string, fs::path> files;
  for (const auto& row : rows) files[row.paper] = shared_folder() / "extract" / "pdf" / (row.paper + ".pdf");
  std::vector<fs::path> list;
  for (const auto& [paper, file] : files) list.push_back(file);
  extract::Options options;
  options.labeller = &labeller;
  options.worker.program = fs::path(MUSTCITE_BINARY_DIR) / "bin" / "mustcite-pdf";
  std::map<std::pair<std::string, std::string>, std::string> linked;
  SilentProgress progress;
  extract::extract(
      list, options,
      [&](extract::Document&& document) {
        const std::string paper = fs::path(document.provenance.source).stem().string();
        for (const auto& entry : document.references) {
          const auto decision = index.link(entry.fields, {});
          linked[{paper, checksum_of(entry.fields.raw)}] =
              decision.verdict == link::Verdict::linked ? std::string(index.record(decision.row).id) : "-";
        }
      },
      progress);
  return linked;
}

TEST(LinkReferencesSlow, AgreesWithThreeHundredCheckedByHand) {
  if (!fs::exists(shared_folder() / "extract" / "pdf")) GTEST_SKIP() << "skipped: no ../shared";
  auto rows = read_checked("references.tsv");
  ASSERT_EQ(rows.size(), 300u);
  const auto hard = read_checked("hard.tsv");
  auto both = rows;
  both.insert(both.end(), hard.begin(), hard.end());
  const auto linked = link_all(both);
  std::size_t in_pool = 0, right = 0, given = 0, lost = 0;
  for (const auto& row : rows) {
    in_pool += row.pool_id != "-" ? 1 : 0;
    const auto found = linked.find({row.paper, row.checksum});
    if (found == linked.end()) {
      ++lost;
      continue;
    }
    if (found->second == "-") continue;
    ++given;
    right += found->second == row.pool_id ? 1 : 0;
    if (found->second != row.pool_id)
      fmt::print("{} [{}]: {} instead of {}\n", row.paper, row.entry, found->second, row.pool_id);
  }
  fmt::print("{} references, {} in the pool: {} linked, {} rightly; {} entries not found\n", rows.size(),
             in_pool, given, right, lost);
  EXPECT_LE(lost, 3u);
  EXPECT_GE(static_cast<double>(right), 0.99 * static_cast<double>(given));
  EXPECT_GE(static_cast<double>(right), 0.95 * static_cast<double>(in_pool));
  for (const auto& row : hard) {
    const auto found = linked.find({row.paper, row.checksum});
    if (found == linked.end() || found->second == "-") continue;
    EXPECT_EQ(found->second, row.pool_id) << row.paper << " [" << row.entry << "]";
  }
}

}  // namespace
