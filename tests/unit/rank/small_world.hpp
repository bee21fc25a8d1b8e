#pragma once

#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "core/base/progress.hpp"
#include "engine/rank/resources.hpp"
#include "engine/rank/view.hpp"
#include "engine/snapshot/snapshot.hpp"

namespace mustcite::rank {

/// A made-up collection: 320 papers of 2010-2019 in eight fields with words of their own; those of 2013 on
/// cite six older ones of their field. Always the same.
class SmallWorld : public snapshot::Source {
 public:
  std::vector<Paper> papers;
  std::vector<Paper> citing_only;
  std::vector<Citation> citations;

  SmallWorld() {
    for (int i = 0; i < 320; ++i) papers.push_back(make_paper(i));
    for (int i = 96; i < 320; ++i) {
      for (int k = 0; k < 6; ++k) {
        const int cited = older_in_field(i);
        const auto same = [&](const Citation& c) {
          return c.citing == papers[i].id && c.cited == papers[cited].id;
        };
        bool known = false;
        for (std::size_t c = citations.size(); c-- > 0 && citations[c].citing == papers[i].id;)
          known |= same(citations[c]);
        if (!known) citations.push_back(make_citation(papers[i], papers[cited], 1 + draw(4), draw(3)));
      }
    }
  }

  static Citation make_citation(const Paper& citing, const Paper& cited, int mentions, int in_experiments) {
    Citation citation;
    citation.citing = citing.id;
    citation.cited = cited.id;
    citation.citing_year = citing.date.year;
    citation.mentions = mentions;
    citation.exp_mentions = in_experiments;
    citation.contexts = {{"Introduction", "we follow " + cited.title + " in spirit"},
                         {"Experiments", "results of " + cited.title + " are compared by " + citing.title}};
    return citation;
  }

  void each_paper(const std::function<void(const Paper&)>& visit) const override {
    for (const Paper& paper : papers) visit(paper);
  }
  void each_citing_paper(const std::function<void(const Paper&)>& visit) const override {
    for (const Paper& paper : citing_only) visit(paper);
  }
  void each_citation(const std::function<void(const Citation&)>& visit) const override {
    for (const Citation& citation : citations) visit(citation);
  }

  /// Snapshot and indexes in `folder`, which exists.
  [[nodiscard]] Resources build(const std::filesystem::path& folder) const {
    SilentProgress progress;
    snapshot::build(*this, folder, progress);
    ResourceOptions options;
    options.latent_years = {2016, 2017, 2018, 2019};
    options.lsi.dims = 64;
    options.threads = 1;
    static_cast<void>(build_resources(snapshot::Snapshot::open(folder), folder, options, progress));
    return Resources::open(folder);
  }

  /// A query in the words of a field, as of 2018.
  [[nodiscard]] static Query query(int field) {
    Query query;
    query.id = QueryId("query");
    query.title = words(field, 3, 5);
    query.abstract = words(field, 0, 14);
    query.before = Date{2018, 0, 0};
    return query;
  }

 private:
  static std::string word(int field, int number) {
    return std::string(1, static_cast<char>('a' + field)) + "term" + std::to_string(number);
  }
  static std::string words(int field, int first, int count) {
    std::string text;
    for (int k = 0; k < count; ++k) text += (k > 0 ? " " : "") + word(field, first + k);
    return text;
  }
  int draw(int below) { return static_cast<int>(random_() % static_cast<std::uint64_t>(below)); }

  Paper make_paper(int i) {
    const int field = i % 8;
    Paper paper;
    paper.id = PaperId("p" + std::to_string(1000 + i));
    paper.date.year = 2010 + i / 32;
    paper.venue = i % 3 == 0 ? "one" : "two";
    if (i % 4 != 0) paper.authors = {"Ada Number" + std::to_string(i % 10), "Bela Number" + std::to_string(i % 6)};
    paper.title = (i % 5 == 0 ? "Net" + std::to_string(i) + "X: " : "");
    for (int k = 0; k < 5; ++k) paper.title += word(field, draw(20)) + " ";
    paper.title += "number" + std::to_string(i);
    for (int k = 0; k < 25; ++k) paper.abstract += word(field, draw(20)) + " ";
    paper.abstract += "common words of every paper";
    return paper;
  }
  int older_in_field(int i) { return i % 8 + 8 * draw((i - 32) / 8); }

  std::mt19937_64 random_{42};
};

}  // namespace mustcite::rank
