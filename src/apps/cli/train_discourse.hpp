#pragma once

#include "apps/cli/context.hpp"

namespace mustcite::cli {

/// `mustcite train discourse`: the tagger of sentences of related-work sections.
void add_train_discourse(CLI::App& app, Context& context, Action& action);

}  // namespace mustcite::cli
