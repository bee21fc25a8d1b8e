#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/ids.hpp"
#include "core/text/analyzer.hpp"
#include "engine/dense/build.hpp"
#include "engine/dense/recipe.hpp"
#include "engine/snapshot/snapshot.hpp"

namespace mustcite::baseline {

/// Texts as fixed vectors of unit length, which graph baselines take as the features of papers. They carry
/// nothing of the citations, so they are the same as of any date. Thread-safe.
class TextVectors {
 public:
  virtual ~TextVectors() = default;
  /// "all-MiniLM-L6-v2" or "hashed-512": part of a trained model's identity.
  [[nodiscard]] virtual std::string name() const = 0;
  /// Of the model behind them; vectors of another digest do not compare.
  [[nodiscard]] virtual std::string digest() const = 0;
  [[nodiscard]] virtual std::size_t dimensions() const = 0;
  /// True when a text has the same vector as a document and as a query.
  [[nodiscard]] virtual bool symmetric() const { return true; }
  /// Vectors of documents [first, first + out.size() / dimensions()).
  virtual void read(std::uint32_t first, std::span<float> out) const = 0;
  /// Vectors of texts, one row each. Zeros where nothing of a text is known.
  virtual void encode(std::span<const dense::TextParts> texts, std::span<float> out) const = 0;
};

/// Signed feature hashing of analysed terms, 1 + ln(tf) each: needs no model and learns nothing.
[[nodiscard]] std::unique_ptr<TextVectors> make_hashed_vectors(const snapshot::Snapshot& snapshot,
                                                               std::size_t dimensions = 512);

/// The vectors called `name`: a recipe of dense retrieval whose vectors lie in the index, or "hashed"; "auto"
/// takes the first recipe by name there, and hashes without one. Throws not_found naming the command that
/// makes the vectors.
[[nodiscard]] std::unique_ptr<TextVectors> open_text_vectors(const std::string& name,
                                                             const snapshot::Snapshot& snapshot,
                                                             const std::filesystem::path& index_folder,
                                                             const dense::EncoderFactory& make_encoder);

}  // namespace mustcite::baseline
