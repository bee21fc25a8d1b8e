#include "apps/audit/latex/authors.hpp"

#include <gtest/gtest.h>

namespace mustcite::audit::latex {
namespace {

using Names = std::vector<std::string>;

TEST(AuthorBlock, PartsAtTheSeparatorsOfTheStyles) {
  EXPECT_EQ(names_in_author_block("Ada Lovelace \\and Charles Babbage"),
            (Names{"Ada Lovelace", "Charles Babbage"}));
  EXPECT_EQ(names_in_author_block("Ada Lovelace, Charles Babbage and Mary Somerville"),
            (Names{"Ada Lovelace", "Charles Babbage", "Mary Somerville"}));
  EXPECT_EQ(names_in_author_block("Ada Lovelace \\& Charles Babbage\\\\Mary Somerville"),
            (Names{"Ada Lovelace", "Charles Babbage", "Mary Somerville"}));
  EXPECT_EQ(names_in_author_block("Andrea Sandra \\AND Randy Andrews"),
            (Names{"Andrea Sandra", "Randy Andrews"}));
}

TEST(AuthorBlock, LeavesOutNotesMarksAndAddresses) {
  EXPECT_EQ(names_in_author_block(
                "\\textbf{Ada Lovelace}\\thanks{Supported by \\textit{nobody}.}$^{1,\\dagger}$ \\\\\n"
                "Department of Engines \\\\ University of London \\\\ \\texttt{ada@example.org} \\And\n"
                "% Old Author \\\\\n"
                "Charles~Babbage\\textsuperscript{2}*"),
            (Names{"Ada Lovelace", "Charles Babbage"}));
}

TEST(AuthorBlock, KeepsAccentsInEverySpelling) {
  EXPECT_EQ(names_in_author_block("Bernhard Sch\\\"olkopf, {\\'E}va Tardos"),
            (Names{"Bernhard Schölkopf", "Éva Tardos"}));
}

TEST(AuthorBlock, KnowsThatATemplateNamesNobody) {
  EXPECT_EQ(names_in_author_block("First Author \\\\ Institution1 \\\\ {\\tt\\small firstauthor@i1.org}"),
            Names{});
  EXPECT_EQ(names_in_author_block("Anonymous Authors"), Names{});
  EXPECT_EQ(names_in_author_block(""), Names{});
}

TEST(AuthorBlock, EndsOnBrokenInput) {
  EXPECT_EQ(names_in_author_block("Ada Lovelace \\thanks{never closed"), (Names{"Ada Lovelace"}));
  EXPECT_EQ(names_in_author_block("Ada Lovelace $^1"), (Names{"Ada Lovelace"}));
  EXPECT_EQ(names_in_author_block("Ada Lovelace \\"), (Names{"Ada Lovelace"}));
}

}  // namespace
}  // namespace mustcite::audit::latex
