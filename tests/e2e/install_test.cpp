// An installed tree works without the source tree: programs, prompts and models are found beside each other.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "testing/temp_folder.hpp"

namespace mustcite {
namespace {

namespace fs = std::filesystem;

struct Said {
  int status = 0;
  std::string text;
};

Said run(const std::string& command) {
  Said said;
  FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  std::array<char, 4096> block{};
  for (std::size_t got = 0; (got = std::fread(block.data(), 1, block.size(), pipe)) > 0;)
    said.text.append(block.data(), got);
  const int status = ::pclose(pipe);
  said.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return said;
}

TEST(Install, FindsItsFilesWithoutTheSourceTree) {
  const testing::TempFolder folder;
  const auto prefix = folder / "prefix";
  const auto installed = run(
      fmt::format("'{}' --install '{}' --prefix '{}'", MUSTCITE_CMAKE, MUSTCITE_BINARY_DIR, prefix.string()));
  ASSERT_EQ(installed.status, 0) << installed.text;
  // Every file under data/ that the program may look for is there.
  for (const char* part : {"prompts", "models"}) {
    for (const auto& entry :
         fs::recursive_directory_iterator(fs::path(MUSTCITE_SOURCE_DIR) / "data" / part)) {
      const auto below = fs::relative(entry.path(), fs::path(MUSTCITE_SOURCE_DIR) / "data");
      EXPECT_TRUE(fs::exists(prefix / "share" / "mustcite" / below)) << below;
    }
  }
  std::ofstream(folder / "instances.jsonl")
      << R"({"instance_id":"i1","citing_title":"Sorting with merging networks","cited_title":"SortNet","cited_as":"Fox 2014",)"
      << R"("contexts":[{"section":"5 Experiments","text":"We outperform SortNet (Fox, 2014) on all inputs."}]})"
      << "\n";
  // Nothing of the environment may point elsewhere.
  const std::string program =
      fmt::format("env -i PATH=/usr/bin:/bin HOME='{0}' '{1}/bin/mustcite' --workspace '{0}/ws' ",
                  folder.path().string(), prefix.string());
  EXPECT_EQ(run(program + "init").status, 0);
  const auto labelled = run(
      program + fmt::format("annotate --judge local --input '{}'", (folder / "instances.jsonl").string()));
  EXPECT_EQ(labelled.status, 0) << labelled.text;
  EXPECT_NE(labelled.text.find("\"judge\":\"local\""), std::string::npos) << labelled.text;
  const auto estimated =
      run(program + fmt::format("annotate --judge openai --endpoint http://127.0.0.1:1/v1 --llm-model m "
                                "--dry-run --input '{}'",
                                (folder / "instances.jsonl").string()));
  EXPECT_EQ(estimated.status, 0) << estimated.text;
  EXPECT_NE(estimated.text.find("2 questions, 0 of them in the cache"), std::string::npos) << estimated.text;
  for (const char* model : {"judge", "ranker", "references"})
    EXPECT_TRUE(fs::exists(prefix / "share/mustcite/models" / model / "model.json")) << model;
  EXPECT_TRUE(fs::exists(prefix / "bin/mustcite-pdf"));
}

}  // namespace
}  // namespace mustcite
