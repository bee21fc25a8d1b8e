#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/ids.hpp"
#include "engine/rank/citance_index.hpp"
#include "engine/rank/names.hpp"
#include "engine/snapshot/snapshot.hpp"

namespace mustcite::rank {

/// Names of methods and datasets: who introduced them, who mentions them, as of any date (every list ascends
/// by document or sentence, so it is a prefix). Immutable, memory-mapped, thread-safe.
class NameIndex {
 public:
  /// A name owned by a document.
  struct Owned {
    std::uint32_t name = 0;
    NameKind kind = NameKind::title;
    std::uint8_t reserved = 0;
    /// How many older documents own the name: any way, and by the start of their title. The first owner has
    /// 0.
    std::uint16_t older = 0;
    std::uint16_t older_prefix = 0;
    std::uint16_t reserved2 = 0;
    [[nodiscard]] bool by_prefix() const noexcept {
      return kind == NameKind::prefix || kind == NameKind::phrase;
    }
  };

  static void build(const snapshot::Snapshot& snapshot, const CitanceIndex& citances,
                    const std::filesystem::path& file,
                    const std::function<void(std::uint64_t)>& advance = {});
  NameIndex(const std::filesystem::path& file, const std::string& snapshot_digest);
  ~NameIndex();
  NameIndex(NameIndex&&) noexcept;
  NameIndex& operator=(NameIndex&&) noexcept;

  [[nodiscard]] std::uint32_t size() const noexcept;
  [[nodiscard]] std::string_view name(std::uint32_t id) const;
  /// Names in a text, ascending, each once: words, two and three words together, and parts of hyphenated
  /// words.
  [[nodiscard]] std::vector<std::uint32_t> find(std::string_view text) const;
  [[nodiscard]] std::span<const Owned> owned(DocId doc) const;
  /// Names that title and abstract of the document hold, ascending.
  [[nodiscard]] std::span<const std::uint32_t> mentioned(DocId doc) const;
  /// Documents among the first `prefix` that hold the name.
  [[nodiscard]] std::uint32_t documents_with(std::uint32_t name, std::uint32_t prefix) const;
  /// Citing sentences among the first `prefix` that hold the name.
  [[nodiscard]] std::uint32_t sentences_with(std::uint32_t name, std::uint32_t prefix) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mustcite::rank
