#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/terms/topic_graph.hpp"

namespace mustcite::terms {

/// A line that could not be taken, for the ledger.
struct RejectedLine {
  std::uint64_t line = 0;
  std::string reason;
  std::string text;  ///< its first 200 bytes
};

/// read == kept + unknown + of_other_languages + self + rejected, always.
struct TripleReport {
  std::size_t read = 0;  ///< lines that are neither empty nor a comment
  std::size_t kept = 0;
  std::size_t unknown = 0;  ///< head or tail is a term that the collection does not name often enough
  std::size_t of_other_languages = 0;
  std::size_t self = 0;  ///< head and tail are one topic
  std::size_t rejected = 0;
  std::size_t terms = 0;          ///< different terms of the lines read
  std::size_t unknown_terms = 0;  ///< of these, no topic
  std::vector<RejectedLine> ledger;
};

/// Triples by their terms, before topics are chosen.
struct NamedTriple {
  std::string relation;
  std::string head;  ///< as printed: "machine learning"
  std::string tail;
  float weight = 1;
};

/// A file of triples, one a line: relation, head, tail and weight, separated by tabs; gzip and zstd are read
/// as well. Terms and relations may be written as ConceptNet writes them (`/c/en/machine_learning/n`,
/// `/r/IsA`); lines with a term of another language than English are counted and left out. Lines that begin
/// with '#' are comments. A line that is none of this is rejected, and the others count. Throws not_found.
[[nodiscard]] std::vector<NamedTriple> read_triples(const std::filesystem::path& file, TripleReport& report);

struct GraphTopics {
  std::uint32_t documents = 0;       ///< count rows [0, documents); 0: all
  std::uint32_t min_documents = 20;  ///< that name a term for it to be a topic
  std::size_t most = 3000;           ///< those that the most documents name, ties by stems
};

/// The terms of the triples that the collection names: the topics of a model with a graph of its own.
[[nodiscard]] std::vector<std::string> topics_of(const std::vector<NamedTriple>& triples,
                                                 const snapshot::Snapshot& snapshot,
                                                 const GraphTopics& options);

/// The graph of the triples between these topics; fills the report's counts of what was left out. Throws
/// invalid_input when no triple is between two topics.
[[nodiscard]] TopicGraph graph_of(const std::vector<NamedTriple>& triples, const Topics& topics,
                                  std::size_t degree, TripleReport& report);

}  // namespace mustcite::terms
