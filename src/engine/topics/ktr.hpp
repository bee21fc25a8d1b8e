#pragma once

#include <filesystem>
#include <memory>

#include "engine/baseline/learner.hpp"
#include "engine/baseline/ranker.hpp"

namespace mustcite::topics {

/// `ktr`, ready to learn. The data must outlive it.
[[nodiscard]] std::unique_ptr<baseline::Learner> make_learner(const baseline::Data& data);
/// `ktr` as it was trained. The world must outlive it.
[[nodiscard]] std::unique_ptr<baseline::Ranker> open_ranker(const std::filesystem::path& folder,
                                                            const baseline::Card& card,
                                                            const baseline::World& world);

}  // namespace mustcite::topics
