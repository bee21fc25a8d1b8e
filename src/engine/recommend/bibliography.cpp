#include <algorithm>

#include "core/text/normalise.hpp"
#include "engine/recommend/recommender_impl.hpp"
#include "stages/link/link.hpp"

namespace mustcite::recommend {
namespace {

constexpr std::uint32_t kCloseTitles = 10;

/// Documents that an entry may mean: those of its title, and those with close titles.
void add_close_titles(const rank::Resources& resources, const Reference& reference, std::vector<DocId>& docs) {
  const std::string title = text::clean_title(reference.title.empty() ? reference.raw : reference.title);
  const auto same = resources.snapshot().find_title(text::title_key(title));
  docs.insert(docs.end(), same.begin(), same.end());
  const auto terms = resources.titles().parse(title);
  if (terms.empty()) return;
  index::SearchOptions options;
  options.depth = kCloseTitles;
  for (const auto& item : resources.titles().search(terms, options)) docs.push_back(item.doc);
}

}  // namespace

std::vector<PaperId> Recommender::link(const std::vector<Reference>& bibliography) const {
  const auto& resources = impl_->resources;
  // The linker sees only what the title index proposes: a whole catalog takes it seconds to read.
  std::vector<DocId> docs;
  for (const auto& reference : bibliography) add_close_titles(resources, reference, docs);
  std::sort(docs.begin(), docs.end());
  docs.erase(std::unique(docs.begin(), docs.end()), docs.end());
  link::LinkIndexBuilder builder;
  for (const DocId doc : docs) builder.add(paper_of(resources.snapshot().document(doc)));
  const auto index = builder.build();
  std::vector<PaperId> found;
  for (const auto& reference : bibliography) {
    const auto decision = index.link(reference, {});
    if (decision.verdict == link::Verdict::linked) found.emplace_back(std::string(index.record(decision.row).id));
  }
  return found;
}

}  // namespace mustcite::recommend
