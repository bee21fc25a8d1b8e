#pragma once

#include <filesystem>
#include <memory>

#include "engine/baseline/learner.hpp"
#include "engine/baseline/ranker.hpp"

namespace mustcite::hatten {

/// `hatten-rr`, ready to learn: the prefetcher, then the reranker where there is an encoder to start from.
/// The data must outlive it.
[[nodiscard]] std::unique_ptr<baseline::Learner> make_learner(const baseline::Data& data);
/// `hatten-rr` as it was trained. The world must outlive it.
[[nodiscard]] std::unique_ptr<baseline::Ranker> open_ranker(const std::filesystem::path& folder,
                                                            const baseline::Card& card,
                                                            const baseline::World& world);

}  // namespace mustcite::hatten
