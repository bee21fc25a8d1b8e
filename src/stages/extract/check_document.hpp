#pragma once

#include <vector>

#include "stages/extract/document.hpp"

namespace mustcite::extract {

/// Notes markers that name no entry, and a list that is cited in part only. For readers of markup; the native
/// reader has words of its own.
void note_links(Document& document, const std::vector<Span>& unlinked);

/// Gives mentions that stand in one pair of brackets, or one behind the other, the same group. Mentions must
/// be ascending.
void group_by_brackets(Document& document);

}  // namespace mustcite::extract
