// The command is played by a shell script that keeps to nougat's way of being called: files, then --out
// FOLDER.
#include "stages/extract/nougat/nougat_command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "core/base/error.hpp"
#include "core/io/file.hpp"
#include "testing/error_code.hpp"
#include "testing/temp_folder.hpp"

namespace {

using namespace mustcite;
using namespace mustcite::extract;
using ::testing::HasSubstr;

/// Writes "# <content of the PDF>" for each file, and a line into `calls` for each call. A file that holds
/// "empty" gets no words, "none" no file; "kill" kills the call.
constexpr const char* kScript = R"(#!/bin/sh
folder=$(dirname "$0")
echo "$#" >> "$folder/calls"
for last; do :; done
while [ "$1" != "--out" ]; do
  words=$(cat "$1")
  stem=$(basename "$1" .pdf)
  case "$words" in
    kill) echo "out of memory" >&2; printf '# cut' > "$last/$stem.mmd"; kill -9 $$ ;;
    none) ;;
    empty) printf ' \n' > "$last/$stem.mmd" ;;
    *) printf '# %s\n' "$words" > "$last/$stem.mmd" ;;
  esac
  shift
done
)";

class NougatCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    io::write_file_atomically(folder_ / "nougat.sh", kScript);
    ::chmod((folder_ / "nougat.sh").c_str(), 0755);
    options_.command = {(folder_ / "nougat.sh").string()};
    options_.cache = folder_ / "cache";
  }
  std::filesystem::path pdf(const std::string& name, const std::string& words) {
    io::write_file_atomically(folder_ / name, words);
    return folder_ / name;
  }
  std::size_t calls() {
    const std::string lines =
        std::filesystem::exists(folder_ / "calls") ? io::read_file(folder_ / "calls") : "";
    return static_cast<std::size_t>(std::count(lines.begin(), lines.end(), '\n'));
  }
  mustcite::testing::TempFolder folder_;
  NougatOptions options_;
};

TEST_F(NougatCommand, MakesMarkupInBatchesInTheOrderOfTheFiles) {
  options_.batch = 2;
  const auto results =
      run_nougat({pdf("a.pdf", "one"), pdf("b.pdf", "two"), pdf("c.pdf", "three")}, options_);
  ASSERT_EQ(results.size(), 3u);
  EXPECT_EQ(io::read_file(results[0].markup), "# one\n");
  EXPECT_EQ(io::read_file(results[2].markup), "# three\n");
  EXPECT_EQ(calls(), 2u);
}

TEST_F(NougatCommand, GoesOnWhereAnEarlierRunStopped) {
  (void)run_nougat({pdf("a.pdf", "one")}, options_);
  const auto results = run_nougat({pdf("renamed.pdf", "one"), pdf("b.pdf", "two")}, options_);
  EXPECT_TRUE(results[0].resumed);
  EXPECT_FALSE(results[1].resumed);
  EXPECT_EQ(io::read_file(results[0].markup), "# one\n");
  EXPECT_EQ(calls(), 2u);
}

TEST_F(NougatCommand, FilesWithoutOutputAreGapsAfterATryAlone) {
  const auto results =
      run_nougat({pdf("a.pdf", "one"), pdf("b.pdf", "none"), pdf("c.pdf", "empty")}, options_);
  EXPECT_FALSE(results[0].markup.empty());
  EXPECT_TRUE(results[1].markup.empty());
  EXPECT_EQ(results[1].reason, "the command wrote no markup");
  EXPECT_TRUE(results[2].markup.empty());
  EXPECT_EQ(calls(), 3u);  // the batch, then each of the two alone
}

TEST_F(NougatCommand, AFileThatKillsTheCommandCostsItselfOnly) {
  const auto results = run_nougat(
      {pdf("a.pdf", "one"), pdf("b.pdf", "kill"), pdf("c.pdf", "two"), pdf("d.pdf", "three")}, options_);
  for (const std::size_t i : {0, 2, 3}) EXPECT_FALSE(results[i].markup.empty()) << results[i].reason;
  EXPECT_TRUE(results[1].markup.empty());  // what it wrote is cut
  EXPECT_THAT(results[1].reason, HasSubstr("signal 9"));
  EXPECT_THAT(results[1].reason, HasSubstr("out of memory"));
}

TEST_F(NougatCommand, ACallThatTakesTooLongIsEnded) {
  io::write_file_atomically(folder_ / "nougat.sh", "#!/bin/sh\nexec tail -f /dev/null\n");
  ::chmod((folder_ / "nougat.sh").c_str(), 0755);
  options_.timeout = std::chrono::seconds(1);
  const auto results = run_nougat({pdf("a.pdf", "one")}, options_);
  EXPECT_THAT(results[0].reason, HasSubstr("more than 1 s"));
}

TEST_F(NougatCommand, LeavesNothingButMarkupInTheCache) {
  (void)run_nougat({pdf("a.pdf", "one"), pdf("b.pdf", "kill")}, options_);
  std::size_t others = 0;
  for (const auto& entry : std::filesystem::directory_iterator(options_.cache))
    others += entry.path().extension() == ".mmd" ? 0 : 1;
  EXPECT_EQ(others, 0u);
}

TEST_F(NougatCommand, AMissingProgramIsNamed) {
  options_.command = {(folder_ / "no-such-program").string()};
  EXPECT_EQ(mustcite::testing::code_of([&] { (void)run_nougat({pdf("a.pdf", "one")}, options_); }),
            ErrorCode::not_found);
}

}  // namespace
