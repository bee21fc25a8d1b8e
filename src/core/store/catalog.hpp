#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/schema/paper.hpp"

namespace mustcite::store {

/// One rejected item: nothing that was read is lost silently.
struct Reject {
  std::string source;  ///< file or address
  std::uint64_t line = 0;
  std::string item;  ///< id or the first bytes of the item
  std::string reason;
};

/// What a bulk write did with an item.
enum class Outcome { added, updated, unchanged };

struct CatalogCounts {
  std::uint64_t papers = 0;
  std::uint64_t papers_with_abstract = 0;
  std::uint64_t citations = 0;
  std::uint64_t dangling_citations = 0;  ///< citing or cited paper not (yet) in the catalog
  std::uint64_t contexts = 0;
  std::uint64_t labels = 0;
  std::uint64_t rejects = 0;
};

/// Name of the fact that says which reader extracted the citations of a paper, followed by its id. Citations
/// that were imported have none.
inline constexpr const char* kReaderFact = "reader of ";

/// Papers, citations, labels and provenance of a workspace, in one SQLite file (WAL).
/// Every committed batch survives `kill -9`; a batch that was not committed leaves no trace.
/// One writer at a time: the lock is held while the object lives, and a second writer gets `unavailable`.
/// Readers are never kept waiting. Not thread-safe.
class Catalog {
 public:
  enum class Mode { read_only, read_write, create };

  /// Opens `file`. Throws not_found (with the command that makes one), corrupt (not ours, damaged, or written
  /// by a newer version), unavailable (locked or read-only folder). Older schema versions are migrated when
  /// writable.
  Catalog(const std::filesystem::path& file, Mode mode);
  ~Catalog();
  Catalog(Catalog&&) noexcept;
  Catalog& operator=(Catalog&&) noexcept;

  /// Groups writes into a transaction: committed by `commit`, undone when destroyed before.
  class Batch {
   public:
    explicit Batch(Catalog& catalog);
    ~Batch();
    Batch(const Batch&) = delete;
    Batch& operator=(const Batch&) = delete;
    void commit();

   private:
    Catalog* catalog_;
    bool open_ = true;
  };

  /// While it lives, everything read is one state of the catalog, whatever others commit meanwhile.
  class Reading {
   public:
    explicit Reading(const Catalog& catalog);
    ~Reading();
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;

   private:
    const Catalog* catalog_;
    bool open_ = false;
  };

  /// Inserts or completes: a known id keeps what the new record does not know (an empty field never erases).
  Outcome put(const Paper& paper);
  /// The same for a pair: what the new record does not know is kept; contexts are replaced as a whole.
  Outcome put(const Citation& citation);
  Outcome put(const Label& label);
  /// Adds to the ledger; the same source, line, reason and item is kept once.
  void reject(const Reject& item);

  [[nodiscard]] std::optional<Paper> paper(const PaperId& id) const;
  /// Papers whose title has this `text::title_key`.
  [[nodiscard]] std::vector<Paper> papers_by_title(std::string_view title_key) const;

  /// Streams in ascending id order, so every derived artefact is reproducible. The reference is valid during
  /// the call.
  void each_paper(const std::function<void(const Paper&)>& visit) const;
  /// Ascending by citing, then cited id. Dangling pairs included.
  void each_citation(const std::function<void(const Citation&)>& visit) const;
  void each_label(const std::function<void(const Label&)>& visit) const;
  void each_reject(const std::function<void(const Reject&)>& visit) const;

  [[nodiscard]] CatalogCounts counts() const;
  /// Changes with every committed change of papers, citations or labels, and only then: tells which artefacts
  /// are stale. It is made from the content alone: the same records give the same revision in every
  /// workspace.
  [[nodiscard]] std::string revision() const;

  /// Small facts by name (e.g. the name of an installed pack).
  void set_fact(std::string_view name, std::string_view value);
  [[nodiscard]] std::optional<std::string> fact(std::string_view name) const;
  /// Facts whose name starts with `prefix`, by name: what follows the prefix, and the value.
  void each_fact(std::string_view prefix,
                 const std::function<void(std::string_view rest, std::string_view value)>& visit) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mustcite::store
