#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/snapshot/snapshot.hpp"
#include "engine/terms/triples.hpp"
#include "engine/topics/options.hpp"

namespace mustcite::topics {

/// What topics say as of a row: only documents before it were counted.
struct Dated {
  std::uint32_t documents = 0;
  std::vector<std::uint32_t> frequencies;  ///< of each topic
  terms::TopicGraph graph;
};

/// The topics of a collection, the graph among them, and the topics of each of its papers. Thread-safe.
class TopicWorld {
 public:
  /// Topics and graph as the options say; those of the collection are chosen from rows [0, documents). What a
  /// given graph held is in `report`.
  TopicWorld(const snapshot::Snapshot& snapshot, const Options& options, std::uint32_t documents,
             terms::TripleReport& report);
  /// As `write` left them.
  TopicWorld(const snapshot::Snapshot& snapshot, const Options& options, const std::filesystem::path& folder);
  void write(const std::filesystem::path& folder) const;

  [[nodiscard]] const terms::Topics& topics() const noexcept { return *topics_; }
  /// Relations that an edge may have.
  [[nodiscard]] std::uint32_t relations() const noexcept;
  /// Kept for the last few dates.
  [[nodiscard]] std::shared_ptr<const Dated> as_of(std::uint32_t documents) const;

  [[nodiscard]] std::vector<terms::TopicMention> main_topics(const Dated& date, DocId document) const;
  [[nodiscard]] std::vector<terms::TopicMention> main_topics(const Dated& date, std::string_view title,
                                                             std::string_view abstract) const;

 private:
  void learn_graph(terms::TripleReport& report);

  Options options_;
  std::vector<terms::NamedTriple> triples_;
  std::unique_ptr<const terms::Topics> topics_;
  std::optional<terms::TopicGraph> given_;
  std::unique_ptr<const terms::TopicTable> table_;
  mutable std::mutex mutex_;
  mutable std::map<std::uint32_t, std::shared_ptr<const Dated>> dates_;
};

/// The topics that some of the papers name, ascending.
[[nodiscard]] std::vector<std::uint32_t> topics_named(
    const std::vector<std::vector<terms::TopicMention>>& papers);

}  // namespace mustcite::topics
