#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "apps/cli/context.hpp"
#include "engine/recommend/recommend.hpp"

namespace mustcite::cli {

/// Options of verbs that put results into a new order.
struct RerankFlags {
  std::string model;
  std::size_t depth = 0;
  std::string scores;
};

/// Adds --rerank, --rerank-depth and --rerank-scores.
void add_rerank_flags(CLI::App& verb, RerankFlags& flags);

/// The cross-encoder of --rerank for the method and tier of the options; nothing without the flag. Throws
/// not_found or invalid_input for a model that cannot be one, unavailable without the neural library.
[[nodiscard]] std::unique_ptr<rank::CrossReranker> open_reranker(const Context& context,
                                                                 const RerankFlags& flags,
                                                                 const recommend::Recommender& recommender,
                                                                 const recommend::Options& options);

/// Adds `train combination` to the verb `train`, which must be there.
void add_train_combination(CLI::App& app, Context& context, Action& action);

}  // namespace mustcite::cli
