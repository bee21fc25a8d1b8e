#include "core/text/names.hpp"

#include <gtest/gtest.h>

namespace mustcite::text {
namespace {

using Names = std::vector<std::string>;

TEST(AuthorName, PutsFamilyNamesLast) {
  EXPECT_EQ(author_name("Lovelace, Ada"), "Ada Lovelace");
  EXPECT_EQ(author_name("van der Berg, Anna"), "Anna van der Berg");
  EXPECT_EQ(author_name("King, Jr., Martin Luther"), "Martin Luther King Jr.");
  EXPECT_EQ(author_name("Ada Lovelace"), "Ada Lovelace");
}

TEST(AuthorName, DropsWhatIsPrintedBesideAName) {
  EXPECT_EQ(author_name("Hao Example*(corresponding author)"), "Hao Example");
  EXPECT_EQ(author_name("Ada Lovelace1,2†"), "Ada Lovelace");
  EXPECT_EQ(author_name("Ada Lovelace ada@example.org"), "Ada Lovelace");
  EXPECT_EQ(author_name("ada@example.org"), "");
  EXPECT_EQ(author_name("others"), "");
  EXPECT_EQ(author_name("  "), "");
}

TEST(SplitAuthors, SplitsListsButNotASingleName) {
  EXPECT_EQ(split_authors("Ada Lovelace and Alan M. Turing"), (Names{"Ada Lovelace", "Alan M. Turing"}));
  EXPECT_EQ(split_authors("Ada Lovelace, Alan Turing and Grace Hopper"),
            (Names{"Ada Lovelace", "Alan Turing", "Grace Hopper"}));
  EXPECT_EQ(split_authors("Lovelace, Ada"), (Names{"Ada Lovelace"}));
  EXPECT_EQ(split_authors("van der Berg, Anna Maria"), (Names{"Anna Maria van der Berg"}));
  EXPECT_EQ(split_authors("Hopper, Grace; Lovelace, Ada and others"),
            (Names{"Grace Hopper", "Ada Lovelace"}));
}

}  // namespace
}  // namespace mustcite::text
