#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "apps/audit/read_draft.hpp"
#include "core/io/lines.hpp"
#include "core/schema/jsonl.hpp"
#include "core/text/normalise.hpp"
#include "stages/link/link.hpp"

namespace mustcite::audit {
namespace {

namespace fs = std::filesystem;

fs::path shared() {
  if (const char* path = std::getenv("MUSTCITE_SHARED")) return path;
  return fs::path(MUSTCITE_SOURCE_DIR) / ".." / "shared";
}

std::vector<fs::path> drafts() {
  std::vector<fs::path> result;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(shared() / "extract" / "latex", error)) result.push_back(entry.path());
  return result;
}

/// The keys of every \…cite…{…} in a file, comments and all: a scan that knows nothing of LaTeX.
std::set<std::string> scanned_keys(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::stringstream buffer;
  buffer << in.rdbuf();
  const std::string text = std::regex_replace(buffer.str(), std::regex("%[^\n]*\n[ \t]*(?=[^{}]*\\})"), "");
  static const std::regex kCite(R"(\\[A-Za-z]*[cC]ite[A-Za-z]*\*?\s*(\[[^\]]*\]\s*)*\{([^{}#\\]*)\})");
  std::set<std::string> keys;
  for (std::sregex_iterator it(text.begin(), text.end(), kCite), end; it != end; ++it) {
    std::stringstream list((*it)[2].str());
    for (std::string key; std::getline(list, key, ',');) {
      const std::size_t first = key.find_first_not_of(" \t\r\n");
      if (first == std::string::npos) continue;
      key = key.substr(first, key.find_last_not_of(" \t\r\n") - first + 1);
      if (key != "*" && key.find('\n') == std::string::npos) keys.insert(key);
    }
  }
  return keys;
}

TEST(RealDrafts, EveryKeyOfTheFilesReadIsAMentionOrSetAsideWithAReason) {
  if (drafts().empty()) GTEST_SKIP() << "skipped: no ../shared";
  std::size_t keys = 0;
  for (const auto& folder : drafts()) {
    const Draft draft = read_draft(folder, {});
    std::set<std::string> known;
    for (const auto& mention : draft.mentions) known.insert(mention.key);
    for (const auto& item : draft.set_aside) known.insert(item.key);
    for (const auto& file : draft.files) {
      if (file.ends_with(".bib") || file.ends_with(".bbl")) continue;
      for (const auto& key : scanned_keys(folder / file)) {
        ++keys;
        EXPECT_TRUE(known.contains(key)) << folder.filename() << " " << file << " " << key;
      }
    }
  }
  EXPECT_GT(keys, 300U);
}

TEST(RealDrafts, EveryDraftHasATitleAnAbstractSectionsAndABibliography) {
  if (drafts().empty()) GTEST_SKIP() << "skipped: no ../shared";
  for (const auto& folder : drafts()) {
    const Draft draft = read_draft(folder, {});
    EXPECT_FALSE(draft.title.empty()) << folder;
    EXPECT_FALSE(draft.abstract.empty()) << folder;
    EXPECT_GT(draft.sections.size(), 3U) << folder;
    EXPECT_FALSE(draft.bibliography.empty()) << folder;
  }
}

TEST(RealDraftsSlow, LinksTheEntriesThatAreInThePool) {
  const fs::path pool = shared() / "data" / "pool.jsonl.zst";
  if (drafts().empty() || !fs::exists(pool)) GTEST_SKIP() << "skipped: no ../shared";
  link::LinkIndexBuilder builder;
  io::LineReader reader(pool);
  for (std::string_view line; reader.next(line);) builder.add(paper_from_json(line));
  const link::LinkIndex index = builder.build();
  std::size_t in_pool = 0;
  std::size_t linked = 0;
  for (const auto& folder : drafts()) {
    for (const auto& entry : read_draft(folder, {}).bibliography) {
      // Short titles are several works.
      const std::string key = text::title_key(entry.reference.title);
      if (key.size() < 20 || index.rows_with_key(key).empty()) continue;
      ++in_pool;
      const link::Decision decision = index.link(entry.reference, {});
      if (decision.verdict != link::Verdict::linked) continue;
      ++linked;
      EXPECT_GE(decision.candidates.front().title_similarity, 0.7) << entry.reference.title;
    }
  }
  EXPECT_GT(in_pool, 600U);
  EXPECT_GE(static_cast<double>(linked), 0.95 * static_cast<double>(in_pool));
}

}  // namespace
}  // namespace mustcite::audit
