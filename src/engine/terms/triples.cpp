#include "engine/terms/triples.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <unordered_map>

#include "core/base/error.hpp"
#include "core/io/lines.hpp"

namespace mustcite::terms {
namespace {

constexpr std::size_t kShownBytes = 200;
constexpr std::size_t kLongestLine = 64 << 10;

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  for (std::size_t begin = 0;;) {
    const std::size_t end = line.find('\t', begin);
    fields.push_back(line.substr(begin, end == std::string_view::npos ? end : end - begin));
    if (end == std::string_view::npos) return fields;
    begin = end + 1;
  }
}

/// The n-th part between slashes of "/c/en/machine_learning/n": 0 is "c".
std::string_view part(std::string_view uri, std::size_t n) {
  std::size_t begin = 1;
  for (; n > 0 && begin <= uri.size(); --n) {
    const std::size_t slash = uri.find('/', begin);
    if (slash == std::string_view::npos) return {};
    begin = slash + 1;
  }
  return uri.substr(begin, uri.find('/', begin) - begin);
}

bool is_uri(std::string_view term, std::string_view kind) {
  return term.starts_with(kind);
}

std::string term_of(std::string_view field) {
  std::string term(is_uri(field, "/c/") ? part(field, 2) : field);
  std::replace(term.begin(), term.end(), '_', ' ');
  const auto first = term.find_first_not_of(' ');
  if (first == std::string::npos) return {};
  return term.substr(first, term.find_last_not_of(' ') - first + 1);
}

/// Why the line is none; empty for a good one.
std::string read_line(const std::vector<std::string_view>& fields, NamedTriple& triple) {
  if (fields.size() != 4) return "it has " + std::to_string(fields.size()) + " fields, not 4";
  triple.relation = is_uri(fields[0], "/r/") ? part(fields[0], 1) : fields[0];
  triple.head = term_of(fields[1]);
  triple.tail = term_of(fields[2]);
  if (triple.relation.empty()) return "it has no relation";
  if (triple.head.empty() || triple.tail.empty()) return "a term is empty";
  const auto weight = fields[3];
  const auto [end, error] = std::from_chars(weight.data(), weight.data() + weight.size(), triple.weight);
  if (error != std::errc{} || end != weight.data() + weight.size()) {
    return "the weight '" + std::string(weight.substr(0, kShownBytes)) + "' is no number";
  }
  if (!std::isfinite(triple.weight) || triple.weight <= 0) return "the weight is not above 0";
  return {};
}

bool other_language(std::string_view field) {
  return is_uri(field, "/c/") && part(field, 1) != "en";
}

}  // namespace

std::vector<NamedTriple> read_triples(const std::filesystem::path& file, TripleReport& report) {
  std::vector<NamedTriple> triples;
  io::LineReader lines(file, kLongestLine);
  for (std::string_view line; lines.next(line);) {
    if (line.empty() || line.front() == '#') continue;
    ++report.read;
    const auto fields = fields_of(line);
    NamedTriple triple;
    std::string reason = lines.too_long() ? "it is too long" : read_line(fields, triple);
    if (!reason.empty()) {
      ++report.rejected;
      report.ledger.push_back(
          {lines.line_number(), std::move(reason), std::string(line.substr(0, kShownBytes))});
    } else if (other_language(fields[1]) || other_language(fields[2])) {
      ++report.of_other_languages;
    } else {
      triples.push_back(std::move(triple));
    }
  }
  return triples;
}

std::vector<std::string> topics_of(const std::vector<NamedTriple>& triples,
                                   const snapshot::Snapshot& snapshot, const GraphTopics& options) {
  std::map<std::string, std::string>
      spelling;  // by stems: the first in the alphabet, so order does not count
  const auto add = [&](const std::string& term) {
    const std::string key = topic_key(term);
    const auto words = static_cast<std::size_t>(std::count(key.begin(), key.end(), ' ')) + 1;
    if (key.empty() || words > Topics::kMostWords) return;
    const auto [at, fresh] = spelling.emplace(key, term);
    if (!fresh && term < at->second) at->second = term;
  };
  for (const auto& triple : triples) add(triple.head), add(triple.tail);
  // A large graph names far more terms than topics can be counted at once: they are counted in parts.
  std::vector<std::pair<std::uint32_t, const std::string*>> known;
  std::vector<std::string> part;
  std::vector<const std::string*> keys;
  const std::uint32_t documents =
      options.documents == 0 ? snapshot.size() : std::min(options.documents, snapshot.size());
  const auto count_part = [&] {
    const auto counts = TopicTable(Topics(part), snapshot).frequencies(documents);
    for (std::size_t i = 0; i < part.size(); ++i) {
      if (counts[i] >= options.min_documents) known.emplace_back(counts[i], keys[i]);
    }
    part.clear();
    keys.clear();
  };
  for (const auto& [key, term] : spelling) {
    part.push_back(term);
    keys.push_back(&key);
    if (part.size() == Topics::kMost) count_part();
  }
  if (!part.empty()) count_part();
  std::sort(known.begin(), known.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : *a.second < *b.second;
  });
  if (known.size() > std::min(options.most, Topics::kMost))
    known.resize(std::min(options.most, Topics::kMost));
  std::vector<std::string> result;
  for (const auto& [count, key] : known) result.push_back(spelling.at(*key));
  return result;
}

TopicGraph graph_of(const std::vector<NamedTriple>& triples, const Topics& topics, std::size_t degree,
                    TripleReport& report) {
  std::unordered_map<std::string, std::uint32_t> found;
  const auto topic_of = [&](const std::string& term) {
    const auto at = found.find(term);
    return at != found.end() ? at->second : found.emplace(term, topics.find(term)).first->second;
  };
  std::map<std::string, std::uint32_t> numbers;
  for (const auto& triple : triples) numbers.emplace(triple.relation, 0);
  std::vector<std::string> relations;
  std::vector<bool> symmetric;
  for (auto& [name, number] : numbers) {
    number = static_cast<std::uint32_t>(relations.size());
    relations.push_back(name);
    symmetric.push_back(name == "RelatedTo" || name == "Synonym" || name == "Antonym" ||
                        name == "SimilarTo" || name == "LocatedNear" || name == "DistinctFrom" ||
                        name == "EtymologicallyRelatedTo");
  }
  std::vector<Triple> kept;
  for (const auto& triple : triples) {
    const std::uint32_t head = topic_of(triple.head);
    const std::uint32_t tail = topic_of(triple.tail);
    if (head == Topics::kNone || tail == Topics::kNone) {
      ++report.unknown;
    } else if (head == tail) {
      ++report.self;
    } else {
      ++report.kept;
      kept.push_back({numbers.at(triple.relation), head, tail, triple.weight});
    }
  }
  report.terms = found.size();
  report.unknown_terms = static_cast<std::size_t>(
      std::count_if(found.begin(), found.end(), [](const auto& one) { return one.second == Topics::kNone; }));
  if (kept.empty()) {
    fail(ErrorCode::invalid_input,
         "the topic graph relates no two terms that the collection names ({} triples read, {} with an "
         "unknown term): give "
         "one of its field, or none: then it is built from the collection",
         report.read, report.unknown);
  }
  return TopicGraph(topics.size(), std::move(relations), std::move(symmetric), kept, degree);
}

}  // namespace mustcite::terms
