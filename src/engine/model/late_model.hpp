#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/model/model_folder.hpp"
#include "engine/model/tokenizer.hpp"

namespace mustcite::model {

/// How a late-interaction model reads texts.
struct LateReading {
  std::string query_marker;      ///< token behind [CLS] of a query; empty: none
  std::string document_marker;   ///< the same of a document
  std::size_t query_length = 0;  ///< tokens of a query, special ones and marker included; longer ones are cut
  std::size_t document_length = 0;   ///< the same of a document
  bool expand_queries = false;       ///< a query is filled with [MASK] up to `query_length`
  bool attend_to_expansion = false;  ///< whether a query's other tokens see those [MASK]
  bool skip_punctuation = true;      ///< vectors of punctuation in documents are left out
};

/// What replaces the folder's own word on it.
struct LateOptions {
  std::optional<std::string> query_marker;
  std::optional<std::string> document_marker;
  std::optional<std::size_t> query_length;
  std::optional<std::size_t> document_length;
  std::optional<bool> expand_queries;
  std::optional<bool> attend_to_expansion;
  std::optional<bool> skip_punctuation;
};

/// A model whose texts are as many vectors as they have tokens: the last states of the encoder, each through
/// the dense layers of `folder` (the projection; pooling means nothing here) and made unit length.
struct LateModel {
  ModelFolder folder;
  LateReading reading;
  std::string digest;  ///< of the folder and the reading: token vectors of two digests never compare

  [[nodiscard]] std::size_t dimensions() const noexcept { return folder.dimensions(); }
};

/// True for folders that say themselves that their vectors are those of tokens: PyLate's (modules.json with a
/// dense layer right behind the transformer) and original ColBERT checkpoints (`artifact.metadata`).
[[nodiscard]] bool is_late_folder(const std::filesystem::path& folder);

/// Resolves a late-interaction model. What is read: PyLate's folders with their
/// config_sentence_transformers.json, ColBERT checkpoints (`linear.weight` beside the encoder's weights,
/// `artifact.metadata`), and any encoder folder, whose states then are the vectors. Throws like
/// `resolve_model`, and invalid_input for a marker that is no token.
[[nodiscard]] LateModel resolve_late_model(const std::filesystem::path& folder,
                                           const LateOptions& options = {});

/// The folder alone, as late interaction takes it: dense layers stand right behind the transformer. Throws
/// like `resolve_model`.
[[nodiscard]] ModelFolder resolve_token_folder(const std::filesystem::path& folder);

enum class TextRole { document, query };

/// A text as a late-interaction model reads it.
struct LateEncoding {
  Encoding tokens;
  std::size_t attended = 0;  ///< the first so many tokens are seen by all; those behind are [MASK] that see
                             ///< the others and are not seen
  std::vector<std::uint32_t> kept;  ///< places of the tokens whose vectors count
};

/// Makes such texts: marker, length, expansion, punctuation. Immutable, thread-safe.
class LateReader {
 public:
  /// Throws invalid_input for markers that the vocabulary has not, or a vocabulary that is larger than the
  /// model's.
  LateReader(const LateModel& model, const Tokenizer& tokenizer);

  [[nodiscard]] LateEncoding read(std::string_view text, TextRole role) const;
  /// The same for tokens that were made without marker (training makes them so).
  [[nodiscard]] LateEncoding mark(Encoding plain, TextRole role) const;

 private:
  const Tokenizer& tokenizer_;
  LateReading reading_;
  std::optional<std::int32_t> query_marker_;
  std::optional<std::int32_t> document_marker_;
  std::vector<bool> skipped_;  ///< by token
};

}  // namespace mustcite::model
