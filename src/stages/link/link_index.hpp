#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "stages/link/link.hpp"

namespace mustcite::link {

/// Compressed rows of small numbers: `values[begins[i] .. begins[i + 1])`.
struct Lists {
  std::vector<std::uint32_t> begins{0};
  std::vector<std::uint32_t> values;
  [[nodiscard]] std::pair<const std::uint32_t*, const std::uint32_t*> list(std::uint32_t row) const {
    return {values.data() + begins[row], values.data() + begins[row + 1]};
  }
};

/// Strings one after another.
struct Strings {
  std::vector<std::uint64_t> begins{0};
  std::string bytes;
  void add(std::string_view text) {
    bytes += text;
    begins.push_back(bytes.size());
  }
  [[nodiscard]] std::string_view at(std::uint32_t row) const {
    return std::string_view(bytes).substr(begins[row], begins[row + 1] - begins[row]);
  }
};

struct LinkIndex::Impl {
  using HashRow = std::pair<std::uint64_t, std::uint32_t>;

  Strings ids, titles, keys, authors, venues, dois, arxiv_ids, urls, tracks;
  std::vector<int> years;
  /// Words of the authors' names, as hashes; those of the first author first, 0 behind them.
  Lists names;
  std::vector<HashRow> by_key, by_doi, by_arxiv, by_id;  ///< sorted
  /// Blocking: hashes of title words and of pairs of adjacent words, with the rows that have them.
  std::vector<std::uint64_t> terms;  ///< sorted
  std::vector<std::uint32_t> term_begins;
  std::vector<std::uint32_t> term_rows;
  std::vector<HashRow> pending;  ///< (term, row) until built

  [[nodiscard]] std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(years.size()); }
  [[nodiscard]] std::vector<std::uint32_t> rows_of(const std::vector<HashRow>& table,
                                                   std::uint64_t hash) const;
  /// Rows with the term; an empty range when there are none.
  [[nodiscard]] std::pair<const std::uint32_t*, const std::uint32_t*> postings(std::uint64_t term) const;
  /// How much a title tells: the rarer its words, the more. A title of stop words tells nothing.
  [[nodiscard]] double information(const std::vector<std::string>& words) const;
  /// Rows that share rare words or word pairs, best first, at most `most`.
  [[nodiscard]] std::vector<std::uint32_t> near_rows(const std::vector<std::string>& words,
                                                     std::size_t most) const;
};

[[nodiscard]] std::uint64_t hash_of(std::string_view text);
/// The key of a pair of adjacent words.
[[nodiscard]] std::uint64_t pair_hash(std::string_view first, std::string_view second);
/// Hashes of the words of one author's name that have two letters or more.
void add_name_words(std::string_view author, std::vector<std::uint32_t>& out);

}  // namespace mustcite::link
