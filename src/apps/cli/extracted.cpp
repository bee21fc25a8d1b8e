#include "apps/cli/extracted.hpp"

#include <algorithm>

#include "core/base/error.hpp"
#include "core/base/log.hpp"
#include "core/text/normalise.hpp"

namespace mustcite::cli {

std::unique_ptr<const extract::ReferenceLabeller> reference_labeller(const Context& context) {
  const auto own = context.workspace_folder() / "models" / "references";
  if (std::filesystem::exists(own / "model.json"))
    return std::make_unique<extract::ReferenceLabeller>(extract::ReferenceLabeller::load(own));
  if (const auto shipped = shipped_model("references"))
    return std::make_unique<extract::ReferenceLabeller>(extract::ReferenceLabeller::load(*shipped));
  log::warning(
      "the labeller of references is not installed (data/models/references): rules read titles and authors, "
      "less well; "
      "name its folder's parent in MUSTCITE_MODELS");
  return nullptr;
}

extract::WorkerOptions worker_options(const Context& context) {
  extract::WorkerOptions options;
  const auto limit = [&](const char* name) {
    const std::int64_t value = context.config().integer(name);
    if (value < 1 || value > 1'000'000'000)
      fail(ErrorCode::invalid_input, "the setting {} is {}: give a number from 1 to 1,000,000,000", name, value);
    return static_cast<std::uint32_t>(value);
  };
  options.max_pages = limit("extract.max_pages");
  options.max_words = limit("extract.max_words");
  return options;
}

link::CitingPaper citing_paper(const extract::Document& document) {
  link::CitingPaper paper;
  paper.self.title = document.title;
  paper.self.authors = document.authors;
  for (const auto& entry : document.references) {
    link::CitedReference cited;
    cited.reference = entry.fields;
    cited.parts = entry.parts;
    paper.references.push_back(std::move(cited));
  }
  const auto text = [&](extract::Span span) {
    return document.text.substr(span.begin, span.end - span.begin);
  };
  for (const auto& mention : document.mentions) {
    const auto& section = document.sections[mention.section];
    link::MentionPlace place;
    place.in_experiments = section.kind == extract::SectionKind::experiments;
    place.marker = text(mention.span);
    place.context = {section.heading, text::clean(text(extract::context_window(document, mention)))};
    for (const auto reference : mention.references) paper.references[reference].mentions.push_back(place);
  }
  return paper;
}

int newest_reference_year(const extract::Document& document) {
  int newest = 0;
  for (const auto& entry : document.references) newest = std::max(newest, entry.fields.year);
  return newest;
}

}  // namespace mustcite::cli
