#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace mustcite::rank {

/// Scores of (query, document) pairs on the disk, so that a long run goes on where it was interrupted and a
/// second one need not compute them again. One line a pair: query id, digest of the query's text, document
/// id, score. The first line names the model and the snapshot. Not thread-safe.
class PairScores {
 public:
  /// In memory alone.
  PairScores() = default;
  /// Opens the file or makes it. A last line without an end, as a killed process leaves it, is cut off.
  /// Throws invalid_input for a file of another model, snapshot or kind, corrupt for a broken line.
  PairScores(const std::filesystem::path& file, const std::string& model_digest,
             const std::string& snapshot_digest);

  /// What `add` was told of the pair, now or by an earlier process.
  [[nodiscard]] std::optional<float> find(std::uint64_t text, std::string_view document) const;
  void add(std::string_view query, std::uint64_t text, std::string_view document, float score);
  /// Everything added so far reaches the file. Throws exhausted when it cannot be written.
  void flush();
  [[nodiscard]] std::size_t size() const noexcept { return scores_.size(); }

 private:
  void read(const std::filesystem::path& file, const std::string& head);
  void read_line(std::string_view line, std::size_t number);

  std::filesystem::path file_;
  std::ofstream out_;
  std::unordered_map<std::string, float> scores_;  ///< by digest and document
};

/// Digest of a query's text.
[[nodiscard]] std::uint64_t text_digest(std::string_view text) noexcept;

}  // namespace mustcite::rank
