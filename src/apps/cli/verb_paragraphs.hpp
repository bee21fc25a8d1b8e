#pragma once

#include "apps/cli/context.hpp"

namespace mustcite::cli {

/// `mustcite paragraphs`: paragraphs with topic sentences, from papers and as queries.
void add_paragraphs(CLI::App& app, Context& context, Action& action);

/// Its parts.
void add_paragraphs_tag(CLI::App& verb, Context& context, Action& action);
void add_paragraphs_queries(CLI::App& verb, Context& context, Action& action);
void add_paragraphs_rank(CLI::App& verb, Context& context, Action& action);

}  // namespace mustcite::cli
