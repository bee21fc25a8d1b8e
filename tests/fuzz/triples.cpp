// A file of triples as ConceptNet has them: every line is counted once, and the graph of what is kept can be
// walked from every topic.
//
// Every second term of the file is a topic, so the others are terms that a collection does not name.

#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "engine/terms/triples.hpp"

namespace {

using namespace mustcite;

constexpr std::size_t kMostTopics = 64;

/// The bytes as a file without a name.
class MemoryFile {
 public:
  MemoryFile(const std::uint8_t* data, std::size_t size) : descriptor_(::memfd_create("triples", 0)) {
    if (descriptor_ < 0) std::abort();
    for (std::size_t done = 0; done < size;) {
      const auto wrote = ::write(descriptor_, data + done, size - done);
      if (wrote <= 0) std::abort();
      done += static_cast<std::size_t>(wrote);
    }
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { ::close(descriptor_); }
  [[nodiscard]] std::filesystem::path path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

terms::Topics topics_among(const std::vector<terms::NamedTriple>& triples) {
  std::vector<std::string> phrases;
  std::set<std::string> keys;
  std::size_t met = 0;
  const auto add = [&](const std::string& term) {
    const std::string key = terms::topic_key(term);
    std::size_t words = key.empty() ? 0 : 1;
    for (const char c : key) words += c == ' ' ? 1 : 0;
    if (words == 0 || words > terms::Topics::kMostWords || phrases.size() == kMostTopics) return;
    if (keys.insert(key).second && met++ % 2 == 0) phrases.push_back(term);
  };
  for (const auto& triple : triples) add(triple.head), add(triple.tail);
  return terms::Topics(phrases);
}

void walk(const terms::TopicGraph& graph) {
  for (std::uint32_t topic = 0; topic < graph.topics(); ++topic) {
    for (const auto& edge : graph.neighbours(topic)) {
      if (edge.to >= graph.topics() || edge.to == topic || edge.relation >= graph.relations()) std::abort();
      if (!std::isfinite(edge.weight) || edge.weight <= 0 || graph.relation(edge.relation).empty())
        std::abort();
    }
    const auto paths = terms::best_paths(graph, topic, 2);
    if (paths.empty() || paths.front().topic != topic) std::abort();
    for (std::size_t i = 1; i < paths.size(); ++i) {
      if (paths[i].parent >= i || paths[i].hops != paths[paths[i].parent].hops + 1) std::abort();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const MemoryFile file(data, size);
  try {
    terms::TripleReport report;
    const auto triples = terms::read_triples(file.path(), report);
    if (report.read != triples.size() + report.of_other_languages + report.rejected) std::abort();
    if (report.ledger.size() != report.rejected) std::abort();
    const auto graph = terms::graph_of(triples, topics_among(triples), 3, report);
    if (report.kept + report.unknown + report.self != triples.size()) std::abort();
    if (report.unknown_terms > report.terms) std::abort();
    walk(graph);
  } catch (const Error& error) {
    // A damaged stream, or no two terms that are topics.
    if (error.code() != ErrorCode::invalid_input) std::abort();
  }
  return 0;
}
