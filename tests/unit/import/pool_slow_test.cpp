#include <gtest/gtest.h>

#include <cstdlib>

#include "unit/import/importing.hpp"

namespace mustcite::importing {
namespace {

class ImportSlow : public Importing {};

TEST_F(ImportSlow, TakesTheWholePoolWithoutLosingALine) {
  const char* set = std::getenv("MUSTCITE_SHARED");
  const std::filesystem::path shared = set != nullptr ? set : std::string(MUSTCITE_SOURCE_DIR) + "/../shared";
  const std::filesystem::path pool = shared / "data/pool.jsonl.zst";
  if (!std::filesystem::exists(pool)) GTEST_SKIP() << "skipped: no ../shared";
  const Report report = import(pool);
  // 252,424 papers, 197,895 with abstract, as counted when the pool was made.
  EXPECT_EQ(report.papers.read, 252424U);
  EXPECT_EQ(catalog_.counts().papers + report.papers.rejected, 252424U);
  // 223 abstracts are none: 140 times "International audience", 8 times HAL's notice, 75 a DOI alone or blank.
  EXPECT_EQ(catalog_.counts().papers_with_abstract, 197895U - 223U);
  for (const char* name : {"data/citations.train.jsonl.zst", "data/citations.dev.jsonl.zst"}) {
    EXPECT_EQ(import(shared / name).citations.rejected, 0U);
  }
  EXPECT_EQ(catalog_.counts().citations, 29161U + 10595U);
}

}  // namespace
}  // namespace mustcite::importing
