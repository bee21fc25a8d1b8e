#include "core/io/file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>
#include <fstream>

#include "core/base/error.hpp"
#include "testing/child.hpp"
#include "testing/error_code.hpp"
#include "testing/temp_folder.hpp"

namespace mustcite::io {
namespace {

namespace fs = std::filesystem;
using testing::code_of;
using testing::in_child;
using testing::refusal;
using testing::TempFolder;

std::size_t entries(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(ReadFile, GivesTheBytesAndRefusesTooMany) {
  const TempFolder scratch;
  write_file_atomically(scratch / "file", std::string(3000000, 'x'));
  EXPECT_EQ(read_file(scratch / "file"), std::string(3000000, 'x'));
  EXPECT_EQ(read_file(scratch / "file", 3000000).size(), 3000000U);
  EXPECT_EQ(code_of([&] { static_cast<void>(read_file(scratch / "file", 2999999)); }),
            ErrorCode::invalid_input);
  EXPECT_EQ(code_of([&] { static_cast<void>(read_file(scratch / "none")); }), ErrorCode::not_found);
}

TEST(WriteFileAtomically, ReplacesAndLeavesNothingBeside) {
  const TempFolder scratch;
  write_file_atomically(scratch / "file", "old");
  write_file_atomically(scratch / "file", "new");
  EXPECT_EQ(read_file(scratch / "file"), "new");
  EXPECT_EQ(entries(scratch.path()), 1U);
}

TEST(WriteFileAtomically, KeepsTheOldFileWhenTheDiskIsFull) {
  const TempFolder scratch;
  write_file_atomically(scratch / "file", "old");
  EXPECT_EQ(in_child([&] {
              testing::limit_file_size(100000);
              write_file_atomically(scratch / "file", std::string(200000, 'x'));
              return 0;
            }),
            refusal(ErrorCode::exhausted));
  EXPECT_EQ(read_file(scratch / "file"), "old");
  EXPECT_EQ(entries(scratch.path()), 1U) << "the part written is removed";
}

TEST(WriteFileAtomically, RefusesAFolderThatCannotBeWritten) {
  const TempFolder scratch;
  fs::create_directory(scratch / "closed");
  ::chmod((scratch / "closed").c_str(), 0555);
  ::chmod(scratch.path().c_str(), 0755);
  EXPECT_EQ(in_child([&] {
              testing::become_nobody();
              write_file_atomically(scratch / "closed" / "file", "text");
              return 0;
            }),
            refusal(ErrorCode::unavailable));
  EXPECT_EQ(code_of([&] { write_file_atomically(scratch / "none" / "file", "text"); }), ErrorCode::not_found);
}

TEST(MappedFile, ShowsTheBytesOfAFile) {
  const TempFolder scratch;
  write_file_atomically(scratch / "file", "text");
  write_file_atomically(scratch / "empty", "");
  MappedFile mapped(scratch / "file");
  EXPECT_EQ(mapped.text(), "text");
  const MappedFile moved(std::move(mapped));
  EXPECT_EQ(moved.text(), "text");
  EXPECT_TRUE(MappedFile(scratch / "empty").bytes().empty());
  EXPECT_EQ(code_of([&] { const MappedFile none(scratch / "none"); }), ErrorCode::not_found);
  EXPECT_EQ(code_of([&] { const MappedFile folder(scratch.path()); }), ErrorCode::invalid_input);
}

TEST(FileWriter, CountsBytesAndReportsAFullDisk) {
  const TempFolder scratch;
  FileWriter writer(scratch / "file");
  for (int i = 0; i < 100000; ++i) writer.write(std::string_view("0123456789abcdef"));
  EXPECT_EQ(writer.size(), 1600000U);
  writer.close();
  EXPECT_EQ(fs::file_size(scratch / "file"), 1600000U);
  EXPECT_EQ(in_child([&] {
              testing::limit_file_size(2000000);
              FileWriter full(scratch / "full");
              full.write(std::string(3000000, 'x'));
              full.close();
              return 0;
            }),
            refusal(ErrorCode::exhausted));
}

TEST(StagedDirectory, PublishesWithOneRenameAndReplacesAnOldFolder) {
  const TempFolder scratch;
  for (const char* text : {"one", "two"}) {
    StagedDirectory staged(scratch / "out");
    write_file_atomically(staged.path() / text, text);
    EXPECT_FALSE(fs::exists(scratch / "out" / text));
    staged.publish();
  }
  EXPECT_EQ(read_file(scratch / "out" / "two"), "two");
  EXPECT_EQ(entries(scratch / "out"), 1U);
  EXPECT_EQ(entries(scratch.path()), 1U);
}

TEST(StagedDirectory, IsRemovedUnlessPublished) {
  const TempFolder scratch;
  { const StagedDirectory staged(scratch / "out"); }
  EXPECT_TRUE(fs::is_empty(scratch.path()));
}

TEST(StagedDirectory, RemovesLeftOversOfDeadProcessesOnly) {
  const TempFolder scratch;
  EXPECT_EQ(in_child([&] {
              const StagedDirectory staged(scratch / "out");
              write_file_atomically(staged.path() / "part", "part");
              std::raise(SIGKILL);
              return 0;
            }),
            128 + SIGKILL);
  ASSERT_EQ(entries(scratch.path()), 1U) << "the killed process leaves its folder";
  // This one belongs to a process that lives (the parent of the test), and another to another artefact.
  const auto alive = scratch / (".out.staging-" + std::to_string(::getppid()));
  const auto other = scratch / ".outer.staging-1234567";
  fs::create_directory(alive);
  fs::create_directory(other);
  StagedDirectory staged(scratch / "out");
  staged.publish();
  EXPECT_TRUE(fs::exists(alive));
  EXPECT_TRUE(fs::exists(other));
  EXPECT_EQ(entries(scratch.path()), 3U);
}

TEST(FileLock, IsHeldByOneProcessAtATimeAndFreedByItsDeath) {
  const TempFolder scratch;
  int ready[2];
  int finish[2];
  ASSERT_EQ(::pipe(ready), 0);
  ASSERT_EQ(::pipe(finish), 0);
  const pid_t holder = testing::start_child([&] {
    const FileLock lock(scratch / "lock");
    char byte = 'x';
    if (::write(ready[1], &byte, 1) != 1) return 1;
    // Held until the parent kills this process.
    return ::read(finish[0], &byte, 1) == 1 ? 0 : 1;
  });
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  try {
    const FileLock second(scratch / "lock");
    ADD_FAILURE() << "two holders";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unavailable);
    EXPECT_NE(std::string(error.what()).find(std::to_string(holder)), std::string::npos) << error.what();
  }
  ::kill(holder, SIGKILL);
  EXPECT_EQ(testing::status_of(holder), 128 + SIGKILL);
  EXPECT_EQ(code_of([&] { const FileLock free(scratch / "lock"); }), std::nullopt);
  for (const int end : {ready[0], ready[1], finish[0], finish[1]}) ::close(end);
}

}  // namespace
}  // namespace mustcite::io
