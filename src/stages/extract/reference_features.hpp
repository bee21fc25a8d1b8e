#pragma once

#include <span>
#include <string_view>

#include "core/learn/crf.hpp"
#include "stages/extract/name_words.hpp"
#include "stages/extract/reference_tokens.hpp"

namespace mustcite::extract {

/// What the labeller sees of each token: the word and its neighbours, their form and use, where it stands,
/// and the chunk and the sentence around it. docs/methods/reference-fields.md lists the features. A change
/// here needs new weights.
[[nodiscard]] learn::CrfSequence reference_features(std::string_view raw,
                                                    std::span<const ReferenceToken> tokens,
                                                    const NameWords& names);

}  // namespace mustcite::extract
