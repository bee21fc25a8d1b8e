#include "core/base/git_blob.hpp"

#include <gtest/gtest.h>

namespace mustcite {
namespace {

// `git hash-object` of an empty file, and of "hello\n".
TEST(GitBlobId, IsThatOfGit) {
  EXPECT_EQ(git_blob_id(""), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
  EXPECT_EQ(git_blob_id("hello\n"), "ce013625030ba8dba906f756967f9e9ca394464a");
}

}  // namespace
}  // namespace mustcite
