#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "engine/model/model_folder.hpp"

namespace mustcite::dense {

/// How near two vectors are.
enum class Metric {
  cosine,  ///< of the angle: vectors are made unit length
  dot,     ///< the product of the vectors
  l2       ///< the negative squared distance
};

[[nodiscard]] std::string_view name_of(Metric metric) noexcept;

/// The parts of a work that a text for a model is made of.
struct TextParts {
  std::string_view title;
  std::string_view abstract;
  std::string_view topic;  ///< topic sentence of a paragraph; may be empty
};

/// A method of dense retrieval: which model, what it reads, how vectors compare. One TOML file each in
/// data/recipes.
struct Recipe {
  std::string name;                       ///< what `--method` calls it
  std::string model;                      ///< ORG/NAME on the hub, or a folder
  std::string adapter;                    ///< the same of an adapter; empty: none
  std::optional<model::Pooling> pooling;  ///< nothing: what the folder says
  std::optional<std::size_t> max_length;
  Metric metric = Metric::cosine;
  /// Texts with the places {title}, {abstract} and {topic}; "[SEP]" in them is the model's token.
  std::string document = "{title}[SEP]{abstract}";
  std::string query = "{title}[SEP]{abstract}";
  /// For queries with a topic sentence.
  std::string topic_query = "{title}[SEP]{abstract}[SEP]{topic}";
};

/// Reads a recipe. Throws not_found, or invalid_input for broken TOML, unknown fields and unknown places.
[[nodiscard]] Recipe read_recipe(const std::filesystem::path& file);
/// The same from text; `where` names it in messages.
[[nodiscard]] Recipe parse_recipe(std::string_view toml, std::string_view where);
/// As TOML: what `parse_recipe` reads back.
[[nodiscard]] std::string recipe_text(const Recipe& recipe);

/// The text that the model reads for a document, and for a query.
[[nodiscard]] std::string document_text(const Recipe& recipe, const TextParts& parts);
[[nodiscard]] std::string query_text(const Recipe& recipe, const TextParts& parts);

/// What the recipe changes of a model folder.
[[nodiscard]] model::FolderOptions folder_options(const Recipe& recipe,
                                                  const std::optional<std::filesystem::path>& adapter);

}  // namespace mustcite::dense
