#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "engine/model/model_folder.hpp"

/// Models that read two texts at once and give one number: how well they belong together.
namespace mustcite::model {

/// How the states of a pair's tokens become a score.
enum class Head {
  pooler,  ///< tanh(pooler * [CLS]), then a linear layer: BertForSequenceClassification
  cls,     ///< a linear layer on the state of [CLS]
  mean     ///< a linear layer on the mean of all states
};

[[nodiscard]] std::string_view name_of(Head head) noexcept;
/// "pooler", "cls" or "mean". Throws invalid_input.
[[nodiscard]] Head parse_head(std::string_view name, std::string_view where);

/// A cross-encoder's folder, resolved. Its score is a vector of one number: the head lies in
/// `encoder.dense`, so whatever computes an encoder computes a cross-encoder.
struct CrossEncoder {
  ModelFolder encoder;
  Head head = Head::pooler;
  /// Scores are meant to go through 1 / (1 + exp(-x)); the order is the same without.
  bool sigmoid = true;
};

/// Resolves a folder as transformers and sentence-transformers ship cross-encoders: BERT with
/// `classifier.weight` [1, hidden], with or without `bert.pooler.dense`. Throws invalid_input for a model
/// without a head or with several labels, and what `resolve_model` throws.
[[nodiscard]] CrossEncoder resolve_cross_encoder(const std::filesystem::path& folder,
                                                 std::optional<std::size_t> max_length = std::nullopt);

/// An encoder with a new head drawn by the seed, ready to learn. `pooler` starts from the encoder's own
/// pooler where its file has one.
[[nodiscard]] CrossEncoder with_new_head(const std::filesystem::path& folder, Head head, std::uint64_t seed,
                                         std::optional<std::size_t> max_length = std::nullopt);

/// Whether the folder's weights hold a cross-encoder's classifier.
[[nodiscard]] bool has_head(const std::filesystem::path& folder);

/// Whether the folder was resolved as a cross-encoder, and its head then.
[[nodiscard]] std::optional<Head> head_of(const ModelFolder& model) noexcept;

/// config.json of `base` as that of a cross-encoder with this head: read by transformers where the head is
/// `pooler`.
[[nodiscard]] std::string cross_encoder_config(std::string_view base, Head head, std::string_view where);

/// One text of a pair: title [SEP] abstract, then [SEP] topic where there is one. Without an abstract the
/// title alone.
[[nodiscard]] std::string pair_text(std::string_view title, std::string_view abstract,
                                    std::string_view topic = {});

}  // namespace mustcite::model
