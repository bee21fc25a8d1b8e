#include "engine/rank/views.hpp"

#include <algorithm>

#include "core/base/error.hpp"
#include "engine/rank/top.hpp"

namespace mustcite::rank {

const std::vector<std::string>& view_names() {
  static const std::vector<std::string> names{"bm25",
                                              "title",
                                              "title-query",
                                              "title-title",
                                              "citance",
                                              "sentences",
                                              "neighbours",
                                              "latent-neighbours",
                                              "must-votes",
                                              "experiment-votes",
                                              "lsi",
                                              "embedding",
                                              "voted",
                                              "coupling",
                                              "cocitation",
                                              "feedback",
                                              "latent-feedback",
                                              "bib-cocitation",
                                              "bib-walk",
                                              "bib-links",
                                              "bib-text",
                                              "bib-embedding",
                                              "dense",
                                              "dense-neighbours",
                                              "bib-dense",
                                              "late"};
  return names;
}

const std::vector<std::string>& bibliography_views() {
  static const std::vector<std::string> names{"bib-cocitation", "bib-walk",      "bib-links",
                                              "bib-text",       "bib-embedding", "bib-dense"};
  return names;
}

const std::vector<std::string>& dense_views() {
  static const std::vector<std::string> names{"dense", "dense-neighbours", "bib-dense"};
  return names;
}

const std::vector<std::string>& late_views() {
  static const std::vector<std::string> names{"late"};
  return names;
}

std::unique_ptr<View> make_view(const std::string& name) {
  for (const auto make : {detail::make_text_view, detail::make_citance_view, detail::make_neighbour_view,
                          detail::make_latent_view, detail::make_graph_view, detail::make_bibliography_view,
                          detail::make_vector_view, detail::make_late_view}) {
    if (auto view = make(name)) return view;
  }
  std::string known = "prior";
  for (const std::string& other : view_names()) known += ", " + other;
  fail(ErrorCode::usage, "there is no view called '{}'; known ones: {}", name, known);
}

std::vector<Scored> FoundList::candidates(std::size_t depth) const {
  TopK best(depth);
  for (const graph::Weighted& item : found_) best.offer(item.row, item.weight);
  return best.take();
}

void FoundList::scores(std::span<const DocId> docs, std::span<float> out) const {
  auto at = found_.begin();
  for (std::size_t i = 0; i < docs.size(); ++i) {
    while (at != found_.end() && at->row < docs[i].value) ++at;
    out[i] = at != found_.end() && at->row == docs[i].value ? at->weight : 0.0F;
  }
}

}  // namespace mustcite::rank
