// Kills the real program at random moments: nothing committed is lost, nothing half-made is left.
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "testing/temp_folder.hpp"

namespace mustcite {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using mustcite::testing::TempFolder;

constexpr int kKills = 20;
constexpr int kPapers = 3000;

class KillTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::ofstream papers(temp_ / "papers.jsonl");
    const char* words[] = {"graph",  "kernel", "policy", "bandit",  "causal", "neural", "sparse", "robust",
                           "latent", "convex", "prior",  "network", "reward", "tensor", "metric", "query"};
    std::mt19937 random(7);
    const auto word = [&] { return words[random() % std::size(words)]; };
    for (int i = 0; i < kPapers; ++i) {
      std::string abstract;
      for (int w = 0; w < 60; ++w) abstract += fmt::format("{} ", word());
      papers << fmt::format(R"({{"id":"p{}","title":"{} {} {} {}","abstract":"{}","authors":["A B"],"venue":"icml","year":{}}})",
                            i, word(), word(), word(), i, abstract, 2000 + i % 20)
             << "\n";
    }
    ASSERT_EQ(run({"init"}), 0);
  }

  pid_t start(const std::vector<std::string>& arguments) {
    const pid_t child = ::fork();
    if (child != 0) return child;
    std::vector<std::string> all{MUSTCITE_PROGRAM, "--quiet", "--workspace", (temp_ / "ws").string()};
    all.insert(all.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (auto& argument : all) argv.push_back(argument.data());
    argv.push_back(nullptr);
    const int out = ::open((temp_ / "out").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    ::dup2(out, STDOUT_FILENO);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }

  static int wait_for(pid_t child) {
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  int run(const std::vector<std::string>& arguments) { return wait_for(start(arguments)); }

  std::string output() const {
    std::ifstream in(temp_ / "out");
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
  }

  /// Seconds that the command needs when nobody disturbs it.
  double seconds_of(const std::vector<std::string>& arguments) {
    const auto begin = Clock::now();
    EXPECT_EQ(run(arguments), 0);
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }

  /// Starts the command and kills it after a random part of `whole` seconds; false when it was done before.
  bool kill_within(const std::vector<std::string>& arguments, double whole) {
    const pid_t child = start(arguments);
    ::usleep(static_cast<useconds_t>(std::uniform_real_distribution<double>(0, whole)(random_) * 1e6));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFSIGNALED(status);
  }

  TempFolder temp_;
  std::mt19937 random_{11};
};

TEST_F(KillTest, ImportKilledTwentyTimesLosesNothing) {
  const std::vector<std::string> import{"import", "papers", (temp_ / "papers.jsonl").string()};
  const double whole = seconds_of(import);
  int killed = 0;
  for (int i = 0; i < kKills; ++i) {
    fs::remove_all(temp_ / "ws");
    ASSERT_EQ(run({"init"}), 0);
    killed += kill_within(import, whole) ? 1 : 0;
    ASSERT_EQ(run({"status"}), 0) << "after kill " << i;
    ASSERT_EQ(run(import), 0) << "after kill " << i;
    ASSERT_EQ(run({"status"}), 0);
    EXPECT_NE(output().find(fmt::format("papers {} ({} with abstract)", kPapers, kPapers)), std::string::npos) << output();
  }
  EXPECT_GT(killed, 0) << "no run was killed in the middle";
}

TEST_F(KillTest, IndexBuildKilledTwentyTimesLeavesNoHalfIndex) {
  ASSERT_EQ(run({"import", "papers", (temp_ / "papers.jsonl").string()}), 0);
  const std::vector<std::string> build{"index", "build"};
  const double whole = seconds_of(build);
  fs::remove_all(temp_ / "ws" / "index");
  int killed = 0;
  bool built = false;
  for (int i = 0; i < kKills; ++i) {
    const bool was_killed = kill_within(build, whole);
    killed += was_killed ? 1 : 0;
    built = built || !was_killed;
    const bool there = fs::exists(temp_ / "ws" / "index" / "catalog");
    EXPECT_TRUE(!built || there) << "a built index vanished at kill " << i;
    if (there) {
      EXPECT_EQ(run({"index", "check"}), 0) << "a half-made index after kill " << i;
      built = true;
    }
  }
  EXPECT_GT(killed, 0) << "no run was killed in the middle";
  ASSERT_EQ(run(build), 0);
  ASSERT_EQ(run({"index", "check"}), 0);
  for (const auto& entry : fs::directory_iterator(temp_ / "ws" / "index")) {
    EXPECT_EQ(entry.path().filename().string().find("staging"), std::string::npos) << entry.path();
  }
}

TEST_F(KillTest, OfTwoBuildsOfOneIndexTheSecondIsRefused) {
  ASSERT_EQ(run({"import", "papers", (temp_ / "papers.jsonl").string()}), 0);
  const pid_t first = start({"index", "build"});
  const pid_t second = start({"index", "build"});
  const int one = wait_for(first);
  const int two = wait_for(second);
  // One succeeds; the other is refused as unavailable, unless it only began when the first was done.
  EXPECT_TRUE(one == 0 || two == 0);
  for (const int code : {one, two}) EXPECT_TRUE(code == 0 || code == 5) << code;
  EXPECT_EQ(run({"index", "check"}), 0);
}

}  // namespace
}  // namespace mustcite
