// Names of sources and venues, and the table as a page.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/error.hpp"
#include "stages/collect/table.hpp"

namespace mustcite::collect {
namespace {

struct SourceName {
  Source source;
  const char* name;
};

constexpr std::array<SourceName, 23> kSources{{{Source::neurips, "neurips"},
                                               {Source::neurips_datasets, "neurips-datasets"},
                                               {Source::iclr_proceedings, "iclr-proceedings"},
                                               {Source::pmlr, "pmlr"},
                                               {Source::openreview, "openreview"},
                                               {Source::virtual_site, "virtual-site"},
                                               {Source::iclr_sites, "iclr-sites"},
                                               {Source::iclr_wiki, "iclr-wiki"},
                                               {Source::cvf, "cvf"},
                                               {Source::ecva, "ecva"},
                                               {Source::acl_xml, "acl-xml"},
                                               {Source::acl_pages, "acl-pages"},
                                               {Source::aaai_ojs, "aaai-ojs"},
                                               {Source::aaai_oai, "aaai-oai"},
                                               {Source::aaai_library, "aaai-library"},
                                               {Source::aaai_pages, "aaai-pages"},
                                               {Source::icml_sites, "icml-sites"},
                                               {Source::paper_links, "paper-links"},
                                               {Source::ijcai, "ijcai"},
                                               {Source::ijcai_old, "ijcai-old"},
                                               {Source::ijcai_accepted, "ijcai-accepted"},
                                               {Source::jmlr, "jmlr"},
                                               {Source::auai, "auai"}}};

std::string count_text(std::size_t count) {
  return count == 0 ? "unknown" : std::to_string(count);
}

std::string places_text(const std::vector<Place>& places) {
  std::string text;
  for (const Place& place : places) {
    text += fmt::format("{}{} `{}`", text.empty() ? "" : ", ", source_name(place.source), place.key);
  }
  return text;
}

}  // namespace

const char* source_name(Source source) noexcept {
  for (const SourceName& entry : kSources) {
    if (entry.source == source) return entry.name;
  }
  return "";
}

Source parse_source(std::string_view name) {
  std::string known;
  for (const SourceName& entry : kSources) {
    if (entry.name == name) return entry.source;
    known += (known.empty() ? "" : ", ") + std::string(entry.name);
  }
  fail(ErrorCode::usage, "there is no source '{}'; known are {}", name, known);
}

const std::vector<VenueName>& venues() {
  static const std::vector<VenueName> names{
      {"aaai", "AAAI Conference on Artificial Intelligence", "AAAI Conference on Artificial Intelligence"},
      {"acl", "Annual Meeting of the Association for Computational Linguistics",
       "Annual Meeting of the Association for Computational Linguistics"},
      {"aistats", "Conference on Artificial Intelligence and Statistics",
       "International Conference on Artificial Intelligence and Statistics"},
      {"colt", "Conference on Learning Theory", "Annual Conference Computational Learning Theory"},
      {"cvpr", "Conference on Computer Vision and Pattern Recognition",
       "Computer Vision and Pattern Recognition"},
      {"eccv", "European Conference on Computer Vision", "European Conference on Computer Vision"},
      {"emnlp", "Conference on Empirical Methods in Natural Language Processing",
       "Conference on Empirical Methods in Natural Language Processing"},
      {"iccv", "International Conference on Computer Vision",
       "IEEE International Conference on Computer Vision"},
      {"iclr", "International Conference on Learning Representations",
       "International Conference on Learning Representations"},
      {"icml", "International Conference on Machine Learning",
       "International Conference on Machine Learning"},
      {"ijcai", "International Joint Conference on Artificial Intelligence",
       "International Joint Conference on Artificial Intelligence"},
      {"jmlr", "Journal of Machine Learning Research", "Journal of machine learning research"},
      {"naacl", "North American Chapter of the Association for Computational Linguistics",
       "North American Chapter of the Association for Computational Linguistics"},
      {"neurips", "Conference on Neural Information Processing Systems",
       "Neural Information Processing Systems"},
      {"uai", "Conference on Uncertainty in Artificial Intelligence",
       "Conference on Uncertainty in Artificial Intelligence"}};
  return names;
}

const std::vector<Gap>& gaps() {
  static const std::vector<Gap> all{
      {"colt", 2000, 2007, "the proceedings are a publisher's alone; no official list of papers is known"},
      {"cvpr", 2000, 2012, "IEEE's alone: the open access site begins with 2013"},
      {"eccv", 2000, 2016, "the publisher's alone: the open access site begins with 2018"},
      {"emnlp", 2000, 2005, "the Anthology files these years among its workshops"},
      {"iccv", 2001, 2011, "IEEE's alone: the open access site begins with 2013"},
      {"icml", 2000, 2002, "no official page lists the papers in a form that can be read"},
      {"naacl", 2000, 2000, "the Anthology files it with another conference"},
      {"uai", 2000, 2014,
       "no official list of a known layout: PMLR begins with 2019, auai.org's lists with 2015"}};
  return all;
}

std::string table_as_markdown() {
  std::string text =
      "# Venues\n\n"
      "Made by `mustcite collect table` from the table in `src/stages/collect/`; do not edit. `main` is the "
      "number of papers of the main conference, `all` the number with every track of the places read. A run "
      "reports where it finds another number. Years between 2000 and now that are not listed were not held, "
      "or stand under [years without a reader](#years-without-a-reader).\n";
  std::string venue;
  for (const Edition& edition : editions()) {
    if (edition.venue != venue) {
      venue = edition.venue;
      const auto name = std::find_if(venues().begin(), venues().end(),
                                     [&](const VenueName& known) { return known.name == venue; });
      text += fmt::format(
          "\n## {}\n\n{}\n\n| year | main | all | places | instead | remark |\n|---|---|---|---|---|---|\n",
          venue, name->long_name);
    }
    text += fmt::format("| {} | {} | {} | {} | {} | {} |\n", edition.year, count_text(edition.expected_main),
                        count_text(edition.expected_all), places_text(edition.parts),
                        places_text(edition.alternatives), edition.note);
  }
  text +=
      "\n## Years without a reader\n\nThere is no official machine-readable source for these, so `collect` "
      "refuses them. Their papers come from `mustcite import`.\n\n| venue | years | why |\n|---|---|---|\n";
  for (const Gap& gap : gaps()) {
    const std::string years =
        gap.first == gap.last ? std::to_string(gap.first) : fmt::format("{}-{}", gap.first, gap.last);
    text += fmt::format("| {} | {} | {} |\n", gap.venue, years, gap.reason);
  }
  return text;
}

}  // namespace mustcite::collect
