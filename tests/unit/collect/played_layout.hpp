#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "core/store/catalog.hpp"
#include "stages/collect/collect.hpp"
#include "stages/collect/venues/readers.hpp"
#include "testing/temp_folder.hpp"
#include "unit/collect/simulated_site.hpp"

namespace mustcite::collect {

/// What a site of one layout answers when it lists so many papers. "": 404.
using Play = std::function<std::string(const std::string& address, std::size_t papers)>;

/// The first paper of every played site has a hard title: an accent, a ligature, maths and an entity that was
/// escaped twice.
inline const std::string kHardTitle = "Naïve Infinite $\\ell_0$ & Trees";

/// Titles as HTML and XML write them.
inline std::string markup_title(std::size_t paper) {
  return paper == 0 ? "Na&#239;ve In&#64257;nite $\\ell_0$ &amp;amp; Trees"
                    : fmt::format("Plain Paper {}", paper);
}
/// The same as a JSON string's inside.
inline std::string json_title(std::size_t paper) {
  return paper == 0 ? "Naïve Inﬁnite $\\\\ell_0$ &amp; Trees" : fmt::format("Plain Paper {}", paper);
}
inline std::string abstract_of(std::size_t paper) {
  return fmt::format("What paper {} is about, in one sentence of its own.", paper);
}
inline std::string repeated(std::size_t papers, const std::function<std::string(std::size_t)>& entry) {
  std::string text;
  for (std::size_t i = 0; i < papers; ++i) text += entry(i);
  return text;
}
/// The number of the paper whose page is asked for: the digits before `mark`.
inline std::size_t paper_in(const std::string& address, const std::string& mark) {
  const std::size_t end = address.find(mark);
  std::size_t begin = end;
  while (begin > 0 && address[begin - 1] >= '0' && address[begin - 1] <= '9') --begin;
  return static_cast<std::size_t>(std::stoul("0" + address.substr(begin, end - begin)));
}
inline bool holds(const std::string& address, const char* part) {
  return address.find(part) != std::string::npos;
}

constexpr std::size_t kPlayedPapers = 3;

struct PlayedLayout {
  const char* venue;
  int year;
  std::vector<Place> places;
  Play play;
  bool abstracts = true;  ///< the layout says them
};

/// Collects the played site through the whole stack.
inline EditionReport collect_played(const PlayedLayout& layout, std::size_t papers,
                                    const testing::TempFolder& folder) {
  testing::SimulatedSite site([&](const std::string& address, std::size_t, httplib::Response& answer) {
    const std::string page = layout.play(address, papers);
    if (page.empty()) {
      answer.status = 404;
    } else {
      answer.set_content(page, page.front() == '{' ? "application/json" : "text/html");
    }
  });
  Options options;
  Edition edition;
  edition.venue = layout.venue;
  edition.year = layout.year;
  edition.parts = layout.places;
  edition.expected_main = edition.expected_all = kPlayedPapers;
  options.editions = {edition};
  options.fetch.cache = folder / "cache";
  options.fetch.limit = {std::chrono::milliseconds(0), 2};
  options.fetch.first_pause = std::chrono::milliseconds(1);
  options.fetch.guard.gateway = site.gateway();
  store::Catalog catalog(folder / "catalog.sqlite", store::Catalog::Mode::create);
  Ledger ledger(folder / "collect.sqlite");
  TrackFilter tracks(folder / "tracks.tsv", "");
  SilentProgress progress;
  return run(catalog, ledger, tracks, options, progress).editions.at(0);
}

/// A whole site gives every paper with what the layout says of it, and no count differs. The same site with
/// one paper less is noticed.
inline void expect_counts_to_be_checked(const PlayedLayout& layout) {
  const std::string name =
      fmt::format("{} {} {}", layout.venue, layout.year, source_name(layout.places[0].source));
  {
    const testing::TempFolder folder;
    const EditionReport whole = collect_played(layout, kPlayedPapers, folder);
    EXPECT_EQ(whole.status, Status::done) << name << ": " << whole.problem;
    EXPECT_TRUE(whole.is_whole()) << name << ": "
                                  << (whole.mismatches.empty() ? whole.problem : whole.mismatches.front());
    EXPECT_EQ(whole.main, kPlayedPapers) << name;
    std::size_t hard = 0;
    const store::Catalog catalog(folder / "catalog.sqlite", store::Catalog::Mode::read_only);
    Ledger(folder / "collect.sqlite").each(layout.venue, layout.year, [&](const Provenance& one) {
      const auto paper = catalog.paper(PaperId(one.id));
      ASSERT_TRUE(paper) << name;
      hard += paper->title == kHardTitle ? 1 : 0;
      EXPECT_EQ(paper->authors, (std::vector<std::string>{"Ada Oak", "Şule Yıldız"}))
          << name << " " << one.id;
      EXPECT_EQ(paper->abstract.empty(), !layout.abstracts) << name << " " << one.id;
      EXPECT_TRUE(one.pdf_url.starts_with("http")) << name << " " << one.id;
    });
    EXPECT_EQ(hard, 1U) << name;
  }
  const testing::TempFolder folder;
  const EditionReport lacking = collect_played(layout, kPlayedPapers - 1, folder);
  EXPECT_EQ(lacking.listed, kPlayedPapers - 1) << name;
  EXPECT_FALSE(lacking.mismatches.empty()) << name;
  EXPECT_FALSE(lacking.is_whole()) << name;
}

}  // namespace mustcite::collect
