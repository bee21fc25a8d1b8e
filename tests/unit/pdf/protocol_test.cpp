#include "core/pdf/protocol.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "core/base/error.hpp"

namespace {

using namespace mustcite;
using namespace mustcite::pdf;

Content sample() {
  Content content;
  content.tool = "poppler 22.12.0";
  content.title = "Ein schöner Titel";
  content.fonts = {"", "Times-Roman"};
  Page page;
  page.width = 612;
  page.height = 792;
  page.words.push_back({"Hello", 10, 20, 40, 30, 10, 1, false, false});
  page.words.push_back({"wörld", 42, 20, 70, 30, 10, 0, true, true});
  page.links.push_back({10, 20, 40, 30, "cite.a", "", 0, 0, 0});
  page.links.push_back({10, 40, 40, 50, "", "https://example.org/", 2, 72, 100});
  content.pages = {page, Page{}};
  content.destinations.push_back({"cite.a", 2, 72, 100, true});
  content.outline.push_back({1, "Introduction", "section.1", 1, 90});
  return content;
}

ErrorCode code_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.code();
  }
  return ErrorCode::internal;
}

TEST(PdfProtocol, ContentComesBackAsItWasSent) {
  const Content back = decode_content(encode_content(sample()));
  EXPECT_EQ(back.title, "Ein schöner Titel");
  ASSERT_EQ(back.pages.size(), 2u);
  ASSERT_EQ(back.pages[0].words.size(), 2u);
  EXPECT_EQ(back.pages[0].words[1].text, "wörld");
  EXPECT_TRUE(back.pages[0].words[1].glued);
  EXPECT_TRUE(back.pages[0].words[1].rotated);
  EXPECT_FLOAT_EQ(back.pages[0].words[0].x1, 40);
  EXPECT_EQ(back.pages[0].links[1].uri, "https://example.org/");
  EXPECT_EQ(back.destinations[0].name, "cite.a");
  EXPECT_TRUE(back.destinations[0].has_x);
  EXPECT_EQ(back.outline[0].title, "Introduction");
  EXPECT_EQ(encode_content(back), encode_content(sample()));
}

TEST(PdfProtocol, EveryTruncationIsRefusedAsCorrupt) {
  const std::string whole = encode_content(sample());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(code_of([&] { (void)decode_content(whole.substr(0, size)); }), ErrorCode::corrupt) << size;
  }
}

TEST(PdfProtocol, BytesLeftOverAreRefused) {
  EXPECT_EQ(code_of([] { (void)decode_content(encode_content(sample()) + "x"); }), ErrorCode::corrupt);
}

TEST(PdfProtocol, ACountLargerThanWhatFollowsIsRefusedBeforeAnythingIsAllocated) {
  std::string bytes = encode_content(Content{});
  // Three empty texts, then the number of fonts.
  const std::uint32_t many = 60'000;
  std::memcpy(bytes.data() + 12, &many, sizeof many);
  EXPECT_EQ(code_of([&] { (void)decode_content(bytes); }), ErrorCode::corrupt);
}

TEST(PdfProtocol, TextThatIsNoUtf8AndNumbersThatAreNotFiniteAreRefused) {
  Content content = sample();
  content.pages[0].words[0].text = "\xC3(";
  EXPECT_EQ(code_of([&] { (void)decode_content(encode_content(content)); }), ErrorCode::corrupt);
  content = sample();
  content.pages[0].words[0].x0 = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(code_of([&] { (void)decode_content(encode_content(content)); }), ErrorCode::corrupt);
  content.pages[0].words[0].x0 = std::numeric_limits<float>::infinity();
  EXPECT_EQ(code_of([&] { (void)decode_content(encode_content(content)); }), ErrorCode::corrupt);
}

TEST(PdfProtocol, AFontThatWasNotAnnouncedIsRefused) {
  Content content = sample();
  content.pages[0].words[0].font = 2;
  EXPECT_EQ(code_of([&] { (void)decode_content(encode_content(content)); }), ErrorCode::corrupt);
}

TEST(PdfProtocol, HeadersOfOtherVersionsKindsAndSizesAreRefused) {
  const std::string good = encode_header({FrameKind::content, 7, 100});
  EXPECT_EQ(good.size(), kHeaderBytes);
  EXPECT_EQ(decode_header(good, 100).id, 7u);
  EXPECT_EQ(code_of([&] { (void)decode_header(good, 99); }), ErrorCode::corrupt);
  for (const std::size_t at : {0u, 4u, 6u}) {
    std::string bad = good;
    bad[at] = 'z';
    EXPECT_EQ(code_of([&] { (void)decode_header(bad, 100); }), ErrorCode::corrupt) << at;
  }
}

TEST(PdfProtocol, RefusalsKeepTheirReason) {
  const auto back = decode_refusal(encode_refusal({Refusal::encrypted, "it is encrypted with a password"}));
  EXPECT_EQ(back.refusal, Refusal::encrypted);
  EXPECT_EQ(back.message, "it is encrypted with a password");
  EXPECT_EQ(code_of([] { (void)decode_refusal(std::string(5, '\0')); }), ErrorCode::corrupt);
}

}  // namespace
