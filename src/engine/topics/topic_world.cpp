#include "engine/topics/topic_world.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.hpp"
#include "core/io/file.hpp"
#include "core/io/lines.hpp"

namespace mustcite::topics {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTopics = "topics.txt";
constexpr const char* kGraph = "topic-graph.tsv";
/// Years of a training, and some of answering.
constexpr std::size_t kMostDates = 64;

std::vector<std::string> read_topics(const fs::path& file) {
  std::vector<std::string> phrases;
  io::LineReader lines(file);
  for (std::string_view line; lines.next(line);) phrases.emplace_back(line);
  return phrases;
}

}  // namespace

TopicWorld::TopicWorld(const snapshot::Snapshot& snapshot, const Options& options, std::uint32_t documents,
                       terms::TripleReport& report)
    : options_(options) {
  std::vector<std::string> phrases;
  if (options.graph.empty()) {
    terms::TopicChoice choice;
    choice.documents = documents;
    choice.min_titles = static_cast<std::uint32_t>(options.min_titles);
    choice.most = options.topics;
    phrases = terms::choose_topics(snapshot, choice);
    if (phrases.empty()) {
      fail(ErrorCode::invalid_input,
           "no word or phrase stands in {} titles of the collection: lower min_titles, or give a topic graph",
           options.min_titles);
    }
  } else {
    triples_ = terms::read_triples(options.graph, report);
    phrases = terms::topics_of(
        triples_, snapshot, {documents, static_cast<std::uint32_t>(options.min_documents), options.topics});
  }
  topics_ = std::make_unique<const terms::Topics>(phrases);
  if (!options.graph.empty()) learn_graph(report);
  table_ = std::make_unique<const terms::TopicTable>(*topics_, snapshot);
}

TopicWorld::TopicWorld(const snapshot::Snapshot& snapshot, const Options& options, const fs::path& folder)
    : options_(options), topics_(std::make_unique<const terms::Topics>(read_topics(folder / kTopics))) {
  if (fs::exists(folder / kGraph)) {
    terms::TripleReport report;
    triples_ = terms::read_triples(folder / kGraph, report);
    learn_graph(report);
  }
  table_ = std::make_unique<const terms::TopicTable>(*topics_, snapshot);
}

void TopicWorld::learn_graph(terms::TripleReport& report) {
  given_ = terms::graph_of(triples_, *topics_, options_.degree, report);
}

void TopicWorld::write(const fs::path& folder) const {
  std::string text;
  for (const auto& phrase : topics_->phrases()) text += phrase + "\n";
  io::write_file_atomically(folder / kTopics, text);
  if (!given_) return;
  std::string lines;
  for (const auto& triple : triples_) {
    lines += fmt::format("{}\t{}\t{}\t{}\n", triple.relation, triple.head, triple.tail, triple.weight);
  }
  io::write_file_atomically(folder / kGraph, lines);
}

std::uint32_t TopicWorld::relations() const noexcept {
  constexpr std::uint32_t kNamedWithBothWays = 2;
  return given_ ? given_->relations() : kNamedWithBothWays;
}

std::shared_ptr<const Dated> TopicWorld::as_of(std::uint32_t documents) const {
  const std::lock_guard lock(mutex_);
  if (const auto found = dates_.find(documents); found != dates_.end()) return found->second;
  terms::Cooccurrence options;
  options.main_topics = options_.main_topics;
  options.min_npmi = options_.min_npmi;
  options.degree = options_.degree;
  // A given graph says what it says whatever the date: it has none.
  auto graph = given_ ? *given_ : terms::cooccurrence_graph(*table_, documents, options);
  auto date =
      std::make_shared<const Dated>(Dated{documents, table_->frequencies(documents), std::move(graph)});
  if (dates_.size() >= kMostDates) dates_.clear();
  dates_.emplace(documents, date);
  return date;
}

std::vector<terms::TopicMention> TopicWorld::main_topics(const Dated& date, DocId document) const {
  return terms::main_topics(table_->row(document.value), date.frequencies, date.documents,
                            options_.main_topics);
}

std::vector<terms::TopicMention> TopicWorld::main_topics(const Dated& date, std::string_view title,
                                                         std::string_view abstract) const {
  return terms::main_topics(topics_->mentions(title, abstract), date.frequencies, date.documents,
                            options_.main_topics);
}

std::vector<std::uint32_t> topics_named(const std::vector<std::vector<terms::TopicMention>>& papers) {
  std::vector<std::uint32_t> topics;
  for (const auto& paper : papers) {
    for (const auto& mention : paper) topics.push_back(mention.topic);
  }
  std::sort(topics.begin(), topics.end());
  topics.erase(std::unique(topics.begin(), topics.end()), topics.end());
  return topics;
}

}  // namespace mustcite::topics
