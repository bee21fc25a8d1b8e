#include "core/base/progress.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "core/base/error.hpp"

namespace mustcite {
namespace {

TEST(TerminalProgress, WritesOneLineAStageWhenStderrIsNoTerminal) {
  ::testing::internal::CaptureStderr();
  const auto progress = terminal_progress();
  progress->begin("papers", 100);
  for (int i = 0; i < 100; ++i) progress->advance(1);
  progress->finish();
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_TRUE(said.starts_with("papers: 100 in ")) << said;
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
  EXPECT_EQ(said.find('\r'), std::string::npos) << "no bar in a log file";
}

TEST(SilentProgress, SaysNothing) {
  ::testing::internal::CaptureStderr();
  SilentProgress progress;
  progress.begin("papers", 0);
  progress.advance(1);
  progress.finish();
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST(ExitCode, FollowsTheTableOfTheCommandLine) {
  EXPECT_EQ(exit_code(ErrorCode::usage), 2);
  EXPECT_EQ(exit_code(ErrorCode::invalid_input), 3);
  EXPECT_EQ(exit_code(ErrorCode::not_found), 3);
  EXPECT_EQ(exit_code(ErrorCode::gate), 4);
  EXPECT_EQ(exit_code(ErrorCode::unavailable), 5);
  EXPECT_EQ(exit_code(ErrorCode::interrupted), 130);
  EXPECT_EQ(exit_code(ErrorCode::corrupt), 1);
  EXPECT_EQ(exit_code(ErrorCode::exhausted), 1);
  EXPECT_EQ(exit_code(ErrorCode::internal), 1);
}

}  // namespace
}  // namespace mustcite
