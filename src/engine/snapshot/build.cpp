#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <unordered_map>

#include "core/base/hash.hpp"
#include "core/base/threads.hpp"
#include "core/text/normalise.hpp"
#include "engine/snapshot/layout.hpp"
#include "engine/snapshot/snapshot.hpp"

namespace mustcite::snapshot {
namespace {

namespace fs = std::filesystem;
using layout::kNone;

/// Texts on their way, kept in a file so that memory stays small. Removed when destroyed.
class Spool {
 public:
  explicit Spool(fs::path path) : path_(std::move(path)), writer_(std::make_unique<io::FileWriter>(path_)) {}
  ~Spool() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;

  std::uint64_t append(std::string_view text) {
    const std::uint64_t offset = writer_->size();
    writer_->write(text);
    return offset;
  }
  void finish() {
    writer_->close();
    writer_.reset();
    file_ = std::make_unique<io::MappedFile>(path_);
  }
  [[nodiscard]] std::string_view view(std::uint64_t offset, std::uint64_t length) const {
    return file_->text().substr(offset, length);
  }

 private:
  fs::path path_;
  std::unique_ptr<io::FileWriter> writer_;
  std::unique_ptr<io::MappedFile> file_;
};

/// Lengths are kept in 32 bits; import refuses far shorter texts already.
std::uint32_t length_of(std::string_view text) {
  if (text.size() >= kNone) fail(ErrorCode::invalid_input, "building the snapshot: a text of 4 GiB or more; remove it");
  return static_cast<std::uint32_t>(text.size());
}

std::string join_authors(const std::vector<std::string>& authors) {
  std::string joined;
  for (const auto& author : authors) {
    if (!joined.empty()) joined += '\n';
    joined += author;
  }
  return joined;
}

bool is_document(const Paper& paper) { return !paper.abstract.empty() && !paper.title.empty(); }

class Builder {
 public:
  Builder(const fs::path& folder, Progress& progress)
      : folder_(folder), progress_(progress), paper_text_(folder / "papers.spool"),
        citation_text_(folder / "citations.spool") {}

  BuildReport run(const Source& source) {
    progress_.begin("snapshot: reading papers", 0);
    source.each_paper([this](const Paper& paper) { add(paper, Role::any); });
    source.each_citing_paper([this](const Paper& paper) { add(paper, Role::citing_only); });
    paper_text_.finish();
    progress_.finish();
    order_documents();
    progress_.begin("snapshot: reading citations", 0);
    source.each_citation([this](const Citation& citation) { add(citation); });
    citation_text_.finish();
    progress_.finish();
    order_evidence();
    write();
    return report_;
  }

 private:
  struct PaperRow {
    layout::DocumentRecord record;  ///< offset into the spool
    std::uint32_t doc = kNone;
    bool document = false;
  };
  struct CitingPaper {
    std::string id;
    std::uint32_t paper = kNone;  ///< in papers_
    std::int32_t year = 0;
  };
  struct Pair {
    std::uint64_t offset = 0;        ///< of marker, then contexts, in the spool
    std::uint32_t marker_length = 0;
    std::uint32_t citing = 0;        ///< in citing_
    std::uint32_t cited = 0;         ///< document row
    std::int32_t mentions = -1;
    std::int32_t exp_mentions = -1;
    std::uint32_t lengths_begin = 0;  ///< in context_lengths_: section, text, section, text …
    std::uint32_t contexts = 0;
  };

  enum class Role { any, citing_only };
  void add(const Paper& paper, Role role);
  void add(const Citation& citation);
  void order_documents();
  void order_evidence();
  std::uint32_t citing_row(const Citation& citation);
  void write();
  void write_documents(SectionWriter& out);
  void write_citing(SectionWriter& out);
  void write_evidence(SectionWriter& out);
  void write_contexts(SectionWriter& out);
  void write_cited(SectionWriter& out);
  void write_manifest(const std::string& digest, std::uint64_t bytes);

  [[nodiscard]] std::string_view field(const PaperRow& row, std::uint32_t which) const {
    std::uint64_t offset = row.record.offset;
    for (std::uint32_t f = 0; f < which; ++f) offset += row.record.length[f];
    return paper_text_.view(offset, row.record.length[which]);
  }

  fs::path folder_;
  Progress& progress_;
  Spool paper_text_;
  Spool citation_text_;
  BuildReport report_;
  std::vector<PaperRow> papers_;
  std::unordered_map<std::string, std::uint32_t> paper_rows_;
  std::vector<std::uint32_t> documents_;  ///< papers_ in document order
  std::vector<CitingPaper> citing_;
  std::unordered_map<std::string, std::uint32_t> citing_rows_;
  std::vector<Pair> pairs_;
  std::vector<std::uint32_t> context_lengths_;
};

void Builder::add(const Paper& paper, Role role) {
  progress_.advance(1);
  if (report_.papers % 4096 == 0) stop_if_interrupted();
  ++report_.papers;
  if (!paper_rows_.emplace(paper.id.str(), static_cast<std::uint32_t>(papers_.size())).second) {
    ++report_.repeated;
    return;
  }
  PaperRow row;
  row.document = role == Role::any && is_document(paper);
  const std::string authors = row.document ? join_authors(paper.authors) : std::string();
  const std::string_view fields[layout::field_count] = {paper.id.str(), paper.title, paper.abstract, authors,
                                                        paper.venue,    paper.url,   paper.doi,      paper.arxiv_id};
  for (std::uint32_t f = 0; f < layout::field_count; ++f) {
    const std::uint64_t offset = paper_text_.append(fields[f]);
    if (f == 0) row.record.offset = offset;
    row.record.length[f] = length_of(fields[f]);
  }
  row.record.year = paper.date.year;
  row.record.month = static_cast<std::uint16_t>(paper.date.month);
  row.record.day = static_cast<std::uint16_t>(paper.date.day);
  ++(row.document ? report_.documents : role == Role::any ? report_.without_abstract : report_.citing_only);
  papers_.push_back(row);
}

void Builder::order_documents() {
  for (std::uint32_t i = 0; i < papers_.size(); ++i) {
    if (papers_[i].document) documents_.push_back(i);
  }
  const auto latest = [this](std::uint32_t paper) {
    const auto& record = papers_[paper].record;
    return Date{record.year, record.month, record.day}.latest();
  };
  std::sort(documents_.begin(), documents_.end(), [&](std::uint32_t a, std::uint32_t b) {
    const auto key_a = latest(a);
    const auto key_b = latest(b);
    return key_a != key_b ? key_a < key_b : field(papers_[a], layout::id) < field(papers_[b], layout::id);
  });
  for (std::uint32_t row = 0; row < documents_.size(); ++row) papers_[documents_[row]].doc = row;
}

std::uint32_t Builder::citing_row(const Citation& citation) {
  const auto [place, added] = citing_rows_.emplace(citation.citing.str(), static_cast<std::uint32_t>(citing_.size()));
  if (added) {
    CitingPaper paper;
    paper.id = citation.citing.str();
    const auto known = paper_rows_.find(paper.id);
    if (known != paper_rows_.end()) {
      paper.paper = known->second;
      paper.year = papers_[known->second].record.year;
    }
    citing_.push_back(std::move(paper));
  }
  auto& paper = citing_[place->second];
  paper.year = std::max(paper.year, citation.citing_year);
  return place->second;
}

void Builder::add(const Citation& citation) {
  progress_.advance(1);
  if (report_.citations % 4096 == 0) stop_if_interrupted();
  ++report_.citations;
  const auto cited = paper_rows_.find(citation.cited.str());
  if (cited == paper_rows_.end() || papers_[cited->second].doc == kNone) {
    ++report_.outside;
    return;
  }
  if (citation.citing == citation.cited) {
    ++report_.self;
    return;
  }
  ++report_.evidence;
  Pair pair;
  pair.citing = citing_row(citation);
  pair.cited = papers_[cited->second].doc;
  pair.mentions = std::max(-1, citation.mentions.value_or(-1));
  pair.exp_mentions = std::max(-1, citation.exp_mentions.value_or(-1));
  pair.offset = citation_text_.append(citation.marker);
  pair.marker_length = length_of(citation.marker);
  pair.lengths_begin = static_cast<std::uint32_t>(context_lengths_.size());
  pair.contexts = static_cast<std::uint32_t>(citation.contexts.size());
  for (const auto& context : citation.contexts) {
    citation_text_.append(context.section);
    citation_text_.append(context.text);
    context_lengths_.push_back(length_of(context.section));
    context_lengths_.push_back(length_of(context.text));
  }
  pairs_.push_back(pair);
}

void Builder::order_evidence() {
  std::vector<std::uint32_t> order(citing_.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [this](std::uint32_t a, std::uint32_t b) {
    const auto year_a = layout::year_key(citing_[a].year);
    const auto year_b = layout::year_key(citing_[b].year);
    return year_a != year_b ? year_a < year_b : citing_[a].id < citing_[b].id;
  });
  std::vector<std::uint32_t> place(citing_.size());
  std::vector<CitingPaper> sorted;
  sorted.reserve(citing_.size());
  for (std::uint32_t row = 0; row < order.size(); ++row) {
    place[order[row]] = row;
    sorted.push_back(std::move(citing_[order[row]]));
  }
  citing_ = std::move(sorted);
  for (auto& pair : pairs_) pair.citing = place[pair.citing];
  std::stable_sort(pairs_.begin(), pairs_.end(), [](const Pair& a, const Pair& b) {
    return a.citing != b.citing ? a.citing < b.citing : a.cited < b.cited;
  });
}

std::vector<layout::HashRecord> sorted_table(std::vector<layout::HashRecord> table) {
  std::sort(table.begin(), table.end(), [](const auto& a, const auto& b) {
    return a.hash != b.hash ? a.hash < b.hash : a.row < b.row;
  });
  return table;
}

std::uint64_t hash_text(std::string_view text) { return checksum64(std::as_bytes(std::span(text))); }

void Builder::write_documents(SectionWriter& out) {
  std::vector<layout::DocumentRecord> records;
  records.reserve(documents_.size());
  std::uint64_t offset = 0;
  out.begin("text");
  for (const std::uint32_t paper : documents_) {
    auto record = papers_[paper].record;
    const std::uint64_t bytes = std::accumulate(std::begin(record.length), std::end(record.length), std::uint64_t{0});
    out.write(paper_text_.view(record.offset, bytes));
    record.offset = offset;
    offset += bytes;
    records.push_back(record);
  }
  out.section("docs", records);
  std::vector<layout::HashRecord> ids(documents_.size());
  std::vector<layout::HashRecord> titles(documents_.size());
  constexpr std::size_t kChunk = 4096;
  parallel_for((documents_.size() + kChunk - 1) / kChunk, 0, [&](std::size_t chunk, std::size_t) {
    const std::size_t end = std::min(documents_.size(), (chunk + 1) * kChunk);
    for (std::size_t row = chunk * kChunk; row < end; ++row) {
      const auto& paper = papers_[documents_[row]];
      const auto doc = static_cast<std::uint32_t>(row);
      ids[row] = {hash_text(field(paper, layout::id)), doc, 0};
      titles[row] = {hash_text(text::title_key(field(paper, layout::title))), doc, 0};
    }
  });
  out.section("ids", sorted_table(std::move(ids)));
  out.section("titles", sorted_table(std::move(titles)));
}

void Builder::write_citing(SectionWriter& out) {
  std::vector<layout::CitingRecord> records(citing_.size());
  std::vector<layout::HashRecord> ids(citing_.size());
  std::uint64_t offset = 0;
  out.begin("citetext");
  for (std::uint32_t row = 0; row < citing_.size(); ++row) {
    const auto& paper = citing_[row];
    auto& record = records[row];
    record.offset = offset;
    record.year = paper.year;
    record.id_length = length_of(paper.id);
    out.write(paper.id);
    if (paper.paper != kNone && papers_[paper.paper].doc != kNone) {
      record.doc = papers_[paper.paper].doc;
    } else if (paper.paper != kNone) {
      const auto title = field(papers_[paper.paper], layout::title);
      const auto abstract = field(papers_[paper.paper], layout::abstract);
      record.title_length = length_of(title);
      record.abstract_length = length_of(abstract);
      out.write(title);
      out.write(abstract);
    }
    offset += std::uint64_t{record.id_length} + record.title_length + record.abstract_length;
    ids[row] = {hash_text(paper.id), row, 0};
  }
  for (std::uint32_t row = 0; row < pairs_.size(); ++row) {
    auto& record = records[pairs_[row].citing];
    if (record.evidence_end == 0) record.evidence_begin = row;
    record.evidence_end = row + 1;
  }
  out.section("citing", records);
  out.section("citeids", sorted_table(std::move(ids)));
}

void Builder::write_evidence(SectionWriter& out) {
  std::vector<layout::EvidenceRecord> records(pairs_.size());
  std::uint64_t offset = 0;
  std::uint32_t context = 0;
  for (std::size_t row = 0; row < pairs_.size(); ++row) {
    const auto& pair = pairs_[row];
    records[row] = {offset,           pair.marker_length, pair.citing,  pair.cited, pair.mentions,
                    pair.exp_mentions, context,            pair.contexts, 0};
    offset += pair.marker_length;
    for (std::uint32_t i = 0; i < 2 * pair.contexts; ++i) offset += context_lengths_[pair.lengths_begin + i];
    context += pair.contexts;
  }
  out.section("evidence", records);
}

void Builder::write_contexts(SectionWriter& out) {
  std::vector<layout::ContextRecord> records;
  records.reserve(context_lengths_.size() / 2);
  std::uint64_t offset = 0;
  out.begin("context");
  for (const auto& pair : pairs_) {
    std::uint64_t bytes = pair.marker_length;
    for (std::uint32_t i = 0; i < pair.contexts; ++i) {
      const std::uint32_t section = context_lengths_[pair.lengths_begin + 2 * i];
      const std::uint32_t sentence = context_lengths_[pair.lengths_begin + 2 * i + 1];
      records.push_back({offset + bytes, section, sentence});
      bytes += std::uint64_t{section} + sentence;
    }
    out.write(citation_text_.view(pair.offset, bytes));
    offset += bytes;
  }
  out.section("contexts", records);
}

void Builder::write_cited(SectionWriter& out) {
  std::vector<std::uint32_t> offsets(documents_.size() + 1, 0);
  for (const auto& pair : pairs_) ++offsets[pair.cited + 1];
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  std::vector<std::uint32_t> rows(pairs_.size());
  auto next = offsets;
  for (std::uint32_t row = 0; row < pairs_.size(); ++row) rows[next[pairs_[row].cited]++] = row;
  out.section("citedoff", offsets);
  out.section("cited", rows);
}

void Builder::write_manifest(const std::string& digest, std::uint64_t bytes) {
  nlohmann::ordered_json json;
  json["format"] = "mustcite-snapshot";
  json["version"] = layout::kKind.version;
  json["digest"] = digest;
  json["counts"] = {{"papers", report_.papers},       {"documents", report_.documents},
                    {"without_abstract", report_.without_abstract}, {"repeated", report_.repeated},
                    {"citing_only", report_.citing_only},
                    {"citations", report_.citations}, {"evidence", report_.evidence},
                    {"outside", report_.outside},     {"self", report_.self},
                    {"citing", citing_.size()},       {"contexts", context_lengths_.size() / 2}};
  json["files"][layout::kFile] = {{"bytes", bytes}, {"sha256", sha256_file(folder_ / layout::kFile)}};
  io::write_file_atomically(folder_ / layout::kManifest, json.dump(2) + "\n");
}

void Builder::write() {
  progress_.begin("snapshot: writing", 5);
  SectionWriter out(folder_ / layout::kFile, layout::kKind);
  const auto step = [&](void (Builder::*part)(SectionWriter&)) {
    stop_if_interrupted();
    (this->*part)(out);
    progress_.advance(1);
  };
  step(&Builder::write_documents);
  step(&Builder::write_citing);
  step(&Builder::write_evidence);
  step(&Builder::write_contexts);
  step(&Builder::write_cited);
  const std::string digest = out.digest();
  out.begin("digest");
  out.write(digest);
  write_manifest(digest, out.close());
  progress_.finish();
}

}  // namespace

BuildReport build(const Source& source, const fs::path& folder, Progress& progress) {
  return Builder(folder, progress).run(source);
}

}  // namespace mustcite::snapshot
