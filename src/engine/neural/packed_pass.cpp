#include "engine/neural/packed_pass.hpp"

#include <algorithm>
#include <cstring>

#include "core/base/threads.hpp"

namespace mustcite::neural {

std::shared_ptr<PackedPass> PassPool::take() {
  std::unique_ptr<PackedPass> pass;
  {
    const std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      pass = std::move(free_.back());
      free_.pop_back();
    }
  }
  if (!pass) pass = std::make_unique<PackedPass>();
  return {pass.release(), [pool = shared_from_this()](PackedPass* done) {
            const std::lock_guard lock(pool->mutex_);
            pool->free_.emplace_back(done);
          }};
}

#ifdef MUSTCITE_AMX

namespace {

/// Consecutive texts for each share, of about as many tokens: the same texts and threads give the same
/// shares.
std::vector<std::vector<PackedShare::Text>> dealt(std::vector<PackedShare::Text> texts, std::size_t shares) {
  std::size_t all = 0;
  for (const auto& text : texts) all += text.ids.size();
  std::vector<std::vector<PackedShare::Text>> dealt(shares);
  std::size_t before = 0;
  for (auto& text : texts) {
    const std::size_t middle = before + text.ids.size() / 2;
    const std::size_t share = all == 0 ? 0 : std::min(shares - 1, middle * shares / all);
    before += text.ids.size();
    dealt[share].push_back(std::move(text));
  }
  return dealt;
}

}  // namespace

void PackedPass::prepare(const NetworkShape& shape, std::vector<const float*> values,
                         const PackedShare::Trained& trained, std::vector<PackedShare::Text> texts,
                         std::size_t threads) {
  trained_ = trained;
  network_.pack(shape, std::move(values), trained.lowest, threads);
  auto all = dealt(std::move(texts), threads);
  shares_.resize(threads);
  others_.resize(threads - 1);
  for (std::size_t i = 0; i < threads; ++i) shares_[i].set(shape, trained, std::move(all[i]));
}

void PackedPass::forward(float* out) {
  std::vector<float*> outs;
  for (const auto& share : shares_) {
    outs.push_back(out);
    out += share.tokens() * network_.shape().hidden;
  }
  parallel_for(shares_.size(), shares_.size(), [&](std::size_t i, std::size_t) {
    const amx::Tiles tiles;
    shares_[i].forward(network_, outs[i]);
  });
}

bool PackedPass::computes(std::size_t place) const noexcept {
  if (place < place::kFirstLayer) return trained_.embeddings;
  return (place - place::kFirstLayer) / place::kOfLayer >= trained_.lowest;
}

void PackedPass::backward(const float* gradient, const std::vector<float*>& sums,
                          const std::vector<std::size_t>& sizes) {
  std::vector<std::vector<float*>> all{sums};
  std::vector<const float*> gradients;
  for (std::size_t i = 0; i < shares_.size(); ++i) {
    gradients.push_back(gradient);
    gradient += shares_[i].tokens() * network_.shape().hidden;
    if (i == 0) continue;
    // Tables of embeddings are added up once, by `scatter`: the other shares need no room for them.
    std::size_t room = 0;
    for (std::size_t p = place::kEmbeddingNorm; p < sums.size(); ++p)
      room += sums[p] == nullptr ? 0 : sizes[p];
    float* next = others_[i - 1].room(room);
    std::memset(next, 0, room * sizeof(float));
    all.emplace_back(sums.size(), nullptr);
    for (std::size_t p = place::kEmbeddingNorm; p < sums.size(); ++p) {
      if (sums[p] == nullptr) continue;
      all.back()[p] = next;
      next += sizes[p];
    }
  }
  parallel_for(shares_.size(), shares_.size(), [&](std::size_t i, std::size_t) {
    const amx::Tiles tiles;
    shares_[i].backward(network_, gradients[i], all[i]);
  });
  add_shares(all, sizes);
  if (trained_.embeddings) scatter(sums);
}

void PackedPass::add_shares(const std::vector<std::vector<float*>>& sums,
                            const std::vector<std::size_t>& sizes) {
  parallel_for(sizes.size(), shares_.size(), [&](std::size_t p, std::size_t) {
    float* const into = sums.front()[p];
    if (p < place::kEmbeddingNorm || into == nullptr) return;
    for (std::size_t i = 1; i < sums.size(); ++i) {
      const float* from = sums[i][p];
      for (std::size_t j = 0; j < sizes[p]; ++j) into[j] += from[j];
    }
    const std::size_t which =
        p < place::kFirstLayer ? place::kOfLayer : (p - place::kFirstLayer) % place::kOfLayer;
    if (which != place::kQuery && which != place::kQuery + 1) return;
    const float scale = network_.shape().query_scale();
    for (std::size_t j = 0; j < sizes[p]; ++j) into[j] *= scale;
  });
}

void PackedPass::scatter(const std::vector<float*>& sums) {
  const std::size_t hidden = network_.shape().hidden;
  const std::size_t parts = shares_.size();
  // Each part owns some rows of the tables and adds to them in the order of the texts.
  parallel_for(parts, parts, [&](std::size_t part, std::size_t) {
    const auto add = [&](std::size_t table, std::size_t row, const float* from) {
      if (row % parts != part || sums[table] == nullptr) return;
      float* const to = sums[table] + row * hidden;
      for (std::size_t j = 0; j < hidden; ++j) to[j] += from[j];
    };
    for (const auto& share : shares_) {
      const float* from = share.embedding_gradient();
      for (const auto& text : share.texts()) {
        for (std::size_t t = 0; t < text.ids.size(); ++t, from += hidden) {
          add(place::kWords, static_cast<std::size_t>(text.ids[t]), from);
          add(place::kPositions, t, from);
          add(place::kTypes, static_cast<std::size_t>(text.types[t]), from);
        }
      }
    }
  });
}

#endif

}  // namespace mustcite::neural
