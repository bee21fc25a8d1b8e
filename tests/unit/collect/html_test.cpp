// HTML as browsers read it, selectors, and what hostile pages cost.
#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "stages/collect/html/decode_page.hpp"
#include "stages/collect/html/document.hpp"

namespace mustcite::collect::html {
namespace {

std::vector<std::string> texts(const Document& document, const char* selector) {
  std::vector<std::string> found;
  for (const Element& element : Element(document).all(selector)) found.push_back(element.text());
  return found;
}

using Texts = std::vector<std::string>;

TEST(Html, RepairsWhatBrowsersRepair) {
  const Document page("<dl><dt>One<dd>a<dt>Two<dd>b</dl><p class=x><p>in</p></p>");
  EXPECT_EQ(texts(page, "dt"), (Texts{"One", "Two"})) << "unclosed terms end at the next";
  EXPECT_EQ(texts(page, "p.x"), Texts{""}) << "a paragraph in a paragraph stands after it";
}

TEST(Html, SelectsByTagClassIdAttributeAndPlace) {
  const Document page(
      R"(<div id=a class="x y"><p title="one two">1</p><section><p>2</p></section></div><div class=y><p>3</p><a href="/b/c.pdf">4</a></div>)");
  EXPECT_EQ(texts(page, "div p"), (Texts{"1", "2", "3"}));
  EXPECT_EQ(texts(page, "div > p"), (Texts{"1", "3"}));
  EXPECT_EQ(texts(page, "#a p"), (Texts{"1", "2"}));
  EXPECT_EQ(texts(page, "div.x.y > section p"), Texts{"2"});
  EXPECT_EQ(texts(page, "p[title=one two]"), Texts{"1"});
  EXPECT_EQ(texts(page, "[href*=.pdf], section"), (Texts{"2", "4"}));
  EXPECT_EQ(texts(page, "a[href^=/b]"), Texts{"4"});
  EXPECT_TRUE(texts(page, "div.xy, #b").empty());
  EXPECT_FALSE(Element(page).first("table").first("tr"));
  EXPECT_EQ(Element().text(), "");
  EXPECT_THROW((void)Element(page).all("p:first"), Error);
}

TEST(Html, SeparatesBlocksAndJoinsInlineMarkup) {
  const Document page("<div id=d>BERT<b>Score</b> of<br>two<p>three</p>four<script>no</script></div>");
  EXPECT_EQ(Element(page).first("#d").text(), "BERTScore of two three four");
  const Document list("<p id=p>a<i>b</i> c</p>");
  EXPECT_EQ(Element(list).first("#p").own_text(), "a c");
}

TEST(Html, SurvivesPagesMadeToHurt) {
  std::string nested;
  for (int i = 0; i < 200000; ++i) nested += "<b>";
  try {
    const Document page(nested + "deep");
    EXPECT_LT(page.nodes().size(), 10000U) << "what lies too deep is left out";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::exhausted);
  }
  // Formatting elements that are reopened in every paragraph: quadratic for browsers.
  std::string reopened;
  for (int i = 0; i < 3000; ++i) reopened += "<p><font size=" + std::to_string(i) + ">";
  try {
    const Document page(reopened);
    EXPECT_GT(page.nodes().size(), 0U);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::exhausted);
  }
  for (const char* odd :
       {"", "<", "<!", "<a", "<a href=", "&", "&#", "&#xFFFFFFFF;", "</", "<![CDATA[", "\0"}) {
    EXPECT_NO_THROW((void)Document(odd)) << odd;
  }
}

TEST(DecodePage, FindsTheCharset) {
  EXPECT_EQ(decode_page("caf\xC3\xA9", "text/html; charset=iso-8859-1"), "café")
      << "valid UTF-8, whatever is declared";
  EXPECT_EQ(decode_page("caf\xE9", "text/html"), "café");
  EXPECT_EQ(decode_page("\x93quoted\x94", "text/html; charset=ISO-8859-1"), "“quoted”")
      << "Windows-1252, as browsers do";
  EXPECT_EQ(decode_page("\xEF\xBB\xBFx", ""), "x");
  EXPECT_EQ(decode_page(std::string_view("\xFF\xFEx\0\xE9\0", 6), ""), "xé");
  EXPECT_EQ(decode_page("<meta charset=utf-8>a\xFF\xC3\xA9", ""), "<meta charset=utf-8>a\xEF\xBF\xBDé")
      << "UTF-8 with one damaged byte";
  EXPECT_EQ(decode_page("a\x01z", ""), "az");
}

}  // namespace
}  // namespace mustcite::collect::html
