#include "core/store/workspace.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "core/base/error.hpp"
#include "core/store/catalog.hpp"
#include "testing/child.hpp"
#include "testing/error_code.hpp"
#include "testing/temp_folder.hpp"
#include "unit/store/records.hpp"

namespace mustcite::store {
namespace {

namespace fs = std::filesystem;
using testing::code_of;
using testing::TempFolder;

TEST(Workspace, IsMadeWithItsPartsAndOpenedAgain) {
  const TempFolder scratch;
  const auto made = Workspace::create(scratch / "deep" / "space");
  for (const auto& part : {made.catalog(), made.config(), made.models(), made.runs()})
    EXPECT_TRUE(fs::exists(part)) << part;
  EXPECT_EQ(Workspace::open(scratch / "deep" / "space").catalog(), made.catalog());
}

TEST(Workspace, CreateLeavesAnExistingOneAsItIs) {
  const TempFolder scratch;
  const auto made = Workspace::create(scratch.path());
  std::ofstream(made.config()) << "index.k1 = 1.2\n";
  Catalog catalog(made.catalog(), Catalog::Mode::read_write);  // an import runs meanwhile
  catalog.put(testing::numbered_paper(1));
  const auto again = Workspace::create(scratch.path());
  EXPECT_EQ(fs::file_size(again.config()), 15U);
  EXPECT_EQ(Catalog(again.catalog(), Catalog::Mode::read_only).counts().papers, 1U);
}

TEST(Workspace, OpenRefusesAnythingElseNamingInit) {
  const TempFolder scratch;
  try {
    static_cast<void>(Workspace::open(scratch.path()));
    ADD_FAILURE() << "opened an empty folder";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::not_found);
    EXPECT_NE(std::string(error.what()).find("mustcite init"), std::string::npos);
  }
}

TEST(Workspace, CreateRefusesWhereNothingCanBeWritten) {
  const TempFolder scratch;
  std::ofstream(scratch / "file") << "x";
  EXPECT_EQ(code_of([&] { static_cast<void>(Workspace::create(scratch / "file" / "space")); }),
            ErrorCode::unavailable);
}

TEST(Workspace, IsFoundByFlagThenVariableThenParentThenHome) {
  const TempFolder scratch;
  fs::create_directories(scratch / "project" / "a" / "b");
  fs::create_directories(scratch / "elsewhere");
  std::ofstream(scratch / "project" / "mustcite.toml") << "";
  // In a child: the current folder and the environment belong to the whole process.
  EXPECT_EQ(testing::in_child([&] {
              ::setenv("MUSTCITE_WORKSPACE", "/from/variable", 1);
              fs::current_path(scratch / "project" / "a" / "b");
              if (Workspace::find("/from/flag") != "/from/flag") return 1;
              if (Workspace::find("") != "/from/variable") return 2;
              ::unsetenv("MUSTCITE_WORKSPACE");
              if (Workspace::find("") != fs::canonical(scratch / "project")) return 3;
              fs::current_path(scratch / "elsewhere");
              ::unsetenv("XDG_DATA_HOME");
              ::setenv("HOME", "/home/ada", 1);
              if (Workspace::find("") != "/home/ada/.local/share/mustcite") return 4;
              return 0;
            }),
            0);
}

}  // namespace
}  // namespace mustcite::store
