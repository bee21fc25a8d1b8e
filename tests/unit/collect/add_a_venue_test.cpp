// A template: all that docs/how-to/add-a-venue.md asks of the tests of a new layout, on a site that does not
// exist. It keeps the guide honest: when the interface changes, this file no longer compiles.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

#include "core/net/url.hpp"
#include "stages/collect/html/document.hpp"
#include "stages/collect/site.hpp"
#include "stages/collect/tracks.hpp"
#include "stages/collect/venues/link_parts.hpp"
#include "unit/collect/reading.hpp"

namespace mustcite::collect {
namespace {

Listing read_example_list(std::string_view page, std::string_view base) {
  const html::Document document(page);
  const html::Element root(document);
  Listing listing;
  for (const html::Element& entry : root.all("article.paper")) {
    Record record;
    record.id = std::string(entry.attribute("data-id"));
    record.title = entry.first("h2 a").text();
    record.page_url = link_of(entry.first("h2 a"), base);
    record.authors = {entry.first("p.by").text()};
    if (record.id.empty() || record.title.empty()) {
      listing.problems.push_back({record.title, "an entry without a title or an id"});
    } else {
      listing.records.push_back(std::move(record));
    }
  }
  listing.stated = number_in(root.first("p.count").text());
  if (listing.records.empty()) throw LayoutChanged("no article.paper with a title and an id");
  return listing;
}

class ExampleSite final : public Site {
 public:
  std::vector<std::string> hosts() const override { return {"papers.example.org"}; }
  std::vector<std::string> starts() const override { return {"https://papers.example.org/2024/"}; }
  Listing list(Pages& pages) override {
    return read_example_list(pages.list(starts().front()), starts().front());
  }
  bool has_details(const Record& record) const override { return !record.page_url.empty(); }
  void read_details(std::string_view page, Record& record) const override {
    const html::Document document(page);
    const html::Element abstract = html::Element(document).first("#abstract");
    if (!abstract) throw LayoutChanged("no #abstract");
    record.abstract = abstract.text();
  }
};

const std::string kEntry =
    R"(<article class="paper" data-id="p-7"><h2><a href="7.html">Caf&eacute; &amp;amp; $O(n)$</a></h2>
<p class="by">OAK, Ada; Bo Elm</p></article>)";
const std::string kPage = "<p class=\"count\">1 papers</p>" + kEntry;

TEST(ExampleReader, ReadsAListWithAHardRecord) {
  const Listing listing = read_example_list(kPage, "https://papers.example.org/2024/");
  ASSERT_EQ(listing.records.size(), 1U);
  EXPECT_EQ(listing.stated, 1U);
  EXPECT_EQ(listing.records[0].page_url, "https://papers.example.org/2024/7.html");
  const Cleaned paper = cleaned("example", 2024, listing.records[0]);
  EXPECT_EQ(paper.paper.id.str(), "example-2024-p-7");
  EXPECT_EQ(paper.paper.title, "Café & $O(n)$");
  EXPECT_EQ(paper.printed_title, "Café & $O(n)$");
}

TEST(ExampleReader, NoticesAMissingPaperAndAnotherLayout) {
  EXPECT_EQ(
      read_example_list(kPage + with(kEntry, "p-7", "p-8"), "https://papers.example.org/").records.size(), 2U)
      << "two read, one stated: the run reports it";
  EXPECT_TRUE(
      notices_another_layout([] { (void)read_example_list("<p>moved</p>", "https://papers.example.org/"); }));
}

TEST(ExampleReader, ReadsAPaper) {
  Record record;
  ExampleSite().read_details("<div id=abstract>Text.</div>", record);
  EXPECT_EQ(record.abstract, "Text.");
  EXPECT_TRUE(notices_another_layout([&] { ExampleSite().read_details("<p>404</p>", record); }));
}

TEST(VenueTable, IsWhatTheDocsShow) {
  std::ifstream in(std::string(MUSTCITE_SOURCE_DIR) + "/docs/venues.md", std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  EXPECT_EQ(text.str(), table_as_markdown()) << "run: mustcite collect table > docs/venues.md";
}

TEST(VenueTable, HasFifteenVenuesWithReadersForAllPlaces) {
  std::map<std::string, std::size_t> years;
  for (const Edition& edition : editions()) {
    ++years[edition.venue];
    EXPECT_FALSE(edition.parts.empty());
    std::vector<Place> places = edition.parts;
    places.insert(places.end(), edition.alternatives.begin(), edition.alternatives.end());
    for (const Place& place : places) {
      EXPECT_EQ(parse_source(source_name(place.source)), place.source);
      const std::unique_ptr<Site> site = make_site(place, edition);
      ASSERT_FALSE(site->hosts().empty());
      ASSERT_FALSE(site->starts().empty()) << edition.venue << edition.year;
      for (const std::string& url : site->starts()) {
        const auto parsed = net::parse_url(url);
        ASSERT_TRUE(parsed) << url;
        const auto hosts = site->hosts();
        EXPECT_NE(std::find(hosts.begin(), hosts.end(), parsed->host), hosts.end()) << url;
      }
    }
  }
  EXPECT_EQ(years.size(), 15U);
  EXPECT_EQ(venues().size(), 15U);
}

}  // namespace
}  // namespace mustcite::collect
