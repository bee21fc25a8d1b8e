#include "engine/rank/cross_reranker.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/error.hpp"
#include "core/base/threads.hpp"

namespace mustcite::rank {
namespace {

constexpr std::size_t kDefaultDepth = 200;
/// Pairs given to the encoder at once: enough to fill its batches, few enough to lose little when killed.
constexpr std::size_t kPart = 1024;

}  // namespace

/// A pair that no one has scored yet.
struct CrossReranker::Wanted {
  std::size_t text = 0;  ///< place of the query's text
  std::uint64_t digest = 0;
  const Query* query = nullptr;
  DocId document;
};

CrossReranker::CrossReranker(const snapshot::Snapshot& snapshot, const std::filesystem::path& model,
                             const dense::EncoderFactory& make_encoder, const CrossRerankerOptions& options)
    : snapshot_(snapshot),
      name_(std::filesystem::absolute(model).lexically_normal().filename().string()),
      model_(model::resolve_cross_encoder(model)),
      combination_(
          load_combination(combination_file(model, options.method, options.tier), model_.encoder.digest)),
      depth_(options.depth > 0 ? options.depth
             : combination_    ? combination_->depth
                               : kDefaultDepth) {
  if (!options.scores_file.empty())
    known_ = PairScores(options.scores_file, model_.encoder.digest, snapshot.digest());
  if (!make_encoder) fail(ErrorCode::internal, "there is no encoder for the cross-encoder {}", name_);
  encoder_ = make_encoder(model_.encoder);
}

void CrossReranker::score(const std::vector<Wanted>& wanted, std::span<const std::string> texts) const {
  for (std::size_t begin = 0; begin < wanted.size(); begin += kPart) {
    stop_if_interrupted();
    const std::size_t count = std::min(kPart, wanted.size() - begin);
    std::vector<std::string> documents(count);
    std::vector<dense::TextPair> pairs(count);
    for (std::size_t i = 0; i < count; ++i) {
      const auto document = snapshot_.document(wanted[begin + i].document);
      documents[i] = model::pair_text(document.title, document.abstract);
      pairs[i] = {texts[wanted[begin + i].text], documents[i]};
    }
    std::vector<float> out(count);
    encoder_->encode_pairs(pairs, out);
    for (std::size_t i = 0; i < count; ++i) {
      const Wanted& pair = wanted[begin + i];
      if (!std::isfinite(out[i])) {
        fail(ErrorCode::invalid_input,
             "the cross-encoder {} gave no number for a pair: its weights are damaged", name_);
      }
      known_.add(pair.query->id.str(), pair.digest, snapshot_.document(pair.document).id, out[i]);
    }
    known_.flush();
  }
}

std::vector<std::vector<float>> CrossReranker::scores(std::span<const Query> queries,
                                                      std::span<const std::vector<Scored>> lists) const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> texts;
  std::vector<Wanted> wanted;
  for (std::size_t q = 0; q < queries.size(); ++q) {
    texts.push_back(model::pair_text(queries[q].title, queries[q].abstract, queries[q].topic));
    const std::uint64_t digest = text_digest(texts.back());
    for (std::size_t i = 0; i < std::min(depth_, lists[q].size()); ++i) {
      const DocId document = lists[q][i].doc;
      if (!known_.find(digest, snapshot_.document(document).id))
        wanted.push_back({q, digest, &queries[q], document});
    }
  }
  score(wanted, texts);
  std::vector<std::vector<float>> scores(queries.size());
  for (std::size_t q = 0; q < queries.size(); ++q) {
    const std::uint64_t digest = text_digest(texts[q]);
    for (std::size_t i = 0; i < std::min(depth_, lists[q].size()); ++i)
      scores[q].push_back(*known_.find(digest, snapshot_.document(lists[q][i].doc).id));
  }
  return scores;
}

void CrossReranker::rerank(std::span<const Query> queries, std::span<std::vector<Scored>> lists) const {
  const auto cross = scores(queries, lists);
  for (std::size_t q = 0; q < queries.size(); ++q) {
    if (!combination_) {
      reorder(lists[q], cross[q]);
      continue;
    }
    const std::size_t width = combination_columns().size();
    const auto rows = combination_rows(std::span(lists[q]).first(cross[q].size()), cross[q]);
    std::vector<float> combined(cross[q].size());
    for (std::size_t i = 0; i < combined.size(); ++i)
      combined[i] = combination_->linear.score(std::span(rows).subspan(i * width, width));
    reorder(lists[q], combined);
  }
}

void reorder(std::vector<Scored>& list, std::span<const float> scores) {
  if (scores.empty()) return;
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
  std::vector<Scored> head;
  for (const std::size_t i : order) head.push_back({list[i].doc, scores[i]});
  // The tail keeps its own distances, one below the last of the head.
  const float shift = scores.size() < list.size() ? head.back().score - 1 - list[scores.size()].score : 0;
  for (std::size_t i = scores.size(); i < list.size(); ++i) list[i].score += shift;
  std::copy(head.begin(), head.end(), list.begin());
}

}  // namespace mustcite::rank
