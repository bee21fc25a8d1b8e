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

constexpr std::array<SourceName, 20> kSources{{{Source::neurips, "neurips"},
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
      {"aaai", "AAAI Conference on Artificial Intelligence"},
      {"acl", "Annual Meeting of the Association for Computational Linguistics"},
      {"aistats", "Conference on Artificial Intelligence and Statistics"},
      {"colt", "Conference on Learning Theory"},
      {"cvpr", "Conference on Computer Vision and Pattern Recognition"},
      {"eccv", "European Conference on Computer Vision"},
      {"emnlp", "Conference on Empirical Methods in Natural Language Processing"},
      {"iccv", "International Conference on Computer Vision"},
      {"iclr", "International Conference on Learning Representations"},
      {"icml", "International Conference on Machine Learning"},
      {"ijcai", "International Joint Conference on Artificial Intelligence"},
      {"jmlr", "Journal of Machine Learning Research"},
      {"naacl", "North American Chapter of the Association for Computational Linguistics"},
      {"neurips", "Conference on Neural Information Processing Systems"},
      {"uai", "Conference on Uncertainty in Artificial Intelligence"}};
  return names;
}

std::string table_as_markdown() {
  std::string text =
      "# Venues\n\n"
      "Made by `mustcite collect table` from the table in `src/stages/collect/table.cpp`; do not edit. "
      "`main` is the "
      "number of papers of the main conference, `all` the number with every track of the places read. A run "
      "reports "
      "where it finds another number.\n";
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
  return text;
}

}  // namespace mustcite::collect
