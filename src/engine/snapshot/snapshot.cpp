#include "engine/snapshot/snapshot.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/hash.hpp"
#include "core/text/normalise.hpp"
#include "engine/snapshot/layout.hpp"

namespace mustcite::snapshot {
namespace {

using layout::kKind;

std::uint64_t hash_text(std::string_view text) { return checksum64(std::as_bytes(std::span(text))); }

/// Rows of a lookup table whose hash is that of `key`.
std::span<const layout::HashRecord> candidates(std::span<const layout::HashRecord> table, std::string_view key) {
  const std::uint64_t hash = hash_text(key);
  const auto first = std::lower_bound(table.begin(), table.end(), hash,
                                      [](const auto& record, std::uint64_t h) { return record.hash < h; });
  const auto last = std::upper_bound(first, table.end(), hash,
                                     [](std::uint64_t h, const auto& record) { return h < record.hash; });
  return {first, last};
}

struct Manifest {
  std::string digest;
  std::uint64_t documents = 0;
  std::uint64_t evidence = 0;
};

Manifest read_manifest(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    fail(ErrorCode::not_found, "there is no snapshot at {}; make it with `{}`", path.parent_path().string(),
         kKind.rebuild);
  }
  const auto json = nlohmann::json::parse(io::read_file(path, std::size_t{1} << 20), nullptr, false);
  Manifest manifest;
  try {
    if (json.at("format") != "mustcite-snapshot") refuse_artefact(path, kKind, "its manifest is of another kind");
    if (json.at("version") != kKind.version) {
      refuse_artefact(path, kKind, "it was written by another version of mustcite");
    }
    manifest.digest = json.at("digest").get<std::string>();
    manifest.documents = json.at("counts").at("documents").get<std::uint64_t>();
    manifest.evidence = json.at("counts").at("evidence").get<std::uint64_t>();
  } catch (const nlohmann::json::exception&) {
    refuse_artefact(path, kKind, "its manifest is damaged");
  }
  return manifest;
}

}  // namespace

struct Snapshot::Impl {
  explicit Impl(const std::filesystem::path& folder)
      : manifest(read_manifest(folder / layout::kManifest)), file(folder / layout::kFile, kKind) {
    text = file.text("text");
    citing_text = file.text("citetext");
    context_text = file.text("context");
    documents = file.section<layout::DocumentRecord>("docs");
    ids = file.section<layout::HashRecord>("ids");
    titles = file.section<layout::HashRecord>("titles");
    citing = file.section<layout::CitingRecord>("citing");
    citing_ids = file.section<layout::HashRecord>("citeids");
    evidence = file.section<layout::EvidenceRecord>("evidence");
    contexts = file.section<layout::ContextRecord>("contexts");
    cited_offsets = file.section<std::uint32_t>("citedoff");
    cited_rows = file.section<std::uint32_t>("cited");
    check();
  }

  /// Every number that is later used as a place is proved to lie inside: a hostile file cannot crash a reader.
  void check() const {
    file.expect(file.text("digest") == manifest.digest, "manifest and file do not belong together");
    file.expect(documents.size() == manifest.documents && evidence.size() == manifest.evidence,
                "its counts differ from the manifest");
    file.expect(documents.size() < layout::kNone && evidence.size() < layout::kNone && contexts.size() < layout::kNone,
                "it is too large");
    for (const auto& record : documents) {
      std::uint64_t bytes = 0;
      for (const std::uint32_t length : record.length) bytes += length;
      check_range(record.offset, bytes, text.size());
    }
    check_rows(ids, documents.size());
    check_rows(titles, documents.size());
    check_rows(citing_ids, citing.size());
    for (const auto& record : citing) {
      check_range(record.offset, std::uint64_t{record.id_length} + record.title_length + record.abstract_length,
                  citing_text.size());
      file.expect(record.doc == layout::kNone || record.doc < documents.size(), "a row lies outside");
      file.expect(record.evidence_begin <= record.evidence_end && record.evidence_end <= evidence.size(),
                  "a row lies outside");
    }
    for (const auto& record : evidence) {
      check_range(record.marker_offset, record.marker_length, context_text.size());
      check_range(record.context_begin, record.context_count, contexts.size());
      file.expect(record.citing < citing.size() && record.cited < documents.size(), "a row lies outside");
    }
    for (const auto& record : contexts) {
      check_range(record.offset, std::uint64_t{record.section_length} + record.text_length, context_text.size());
    }
    check_cited();
  }

  void check_cited() const {
    file.expect(cited_offsets.size() == documents.size() + 1 && cited_rows.size() == evidence.size() &&
                    cited_offsets.front() == 0 && cited_offsets.back() == cited_rows.size() &&
                    std::is_sorted(cited_offsets.begin(), cited_offsets.end()),
                "its table of cited papers is damaged");
    for (const std::uint32_t row : cited_rows) file.expect(row < evidence.size(), "a row lies outside");
  }

  void check_range(std::uint64_t begin, std::uint64_t count, std::uint64_t size) const {
    file.expect(begin <= size && count <= size - begin, "a text lies outside");
  }
  void check_rows(std::span<const layout::HashRecord> table, std::size_t rows) const {
    for (const auto& record : table) file.expect(record.row < rows, "a row lies outside");
  }

  [[nodiscard]] std::string_view citing_id(const layout::CitingRecord& record) const {
    return citing_text.substr(record.offset, record.id_length);
  }

  Manifest manifest;
  SectionFile file;
  std::string_view text, citing_text, context_text;
  std::span<const layout::DocumentRecord> documents;
  std::span<const layout::HashRecord> ids, titles, citing_ids;
  std::span<const layout::CitingRecord> citing;
  std::span<const layout::EvidenceRecord> evidence;
  std::span<const layout::ContextRecord> contexts;
  std::span<const std::uint32_t> cited_offsets, cited_rows;
};

Snapshot::Snapshot(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Snapshot::Snapshot(Snapshot&&) noexcept = default;
Snapshot& Snapshot::operator=(Snapshot&&) noexcept = default;
Snapshot::~Snapshot() = default;

Snapshot Snapshot::open(const std::filesystem::path& folder) { return Snapshot(std::make_unique<Impl>(folder)); }

const std::string& Snapshot::digest() const noexcept { return impl_->manifest.digest; }

std::uint32_t Snapshot::size() const noexcept { return static_cast<std::uint32_t>(impl_->documents.size()); }

DocumentView Snapshot::document(DocId doc) const {
  const auto& record = impl_->documents[doc.value];
  std::string_view fields[layout::field_count];
  std::uint64_t offset = record.offset;
  for (std::uint32_t f = 0; f < layout::field_count; ++f) {
    fields[f] = impl_->text.substr(offset, record.length[f]);
    offset += record.length[f];
  }
  return {fields[layout::id],    fields[layout::title], fields[layout::abstract], fields[layout::authors],
          fields[layout::venue], fields[layout::url],   fields[layout::doi],      fields[layout::arxiv_id],
          Date{record.year, record.month, record.day}};
}

std::optional<DocId> Snapshot::find(std::string_view paper_id) const {
  for (const auto& candidate : candidates(impl_->ids, paper_id)) {
    if (document(DocId{candidate.row}).id == paper_id) return DocId{candidate.row};
  }
  return std::nullopt;
}

std::vector<DocId> Snapshot::find_title(std::string_view title_key) const {
  std::vector<DocId> found;
  for (const auto& candidate : candidates(impl_->titles, title_key)) {
    const DocId doc{candidate.row};
    if (text::title_key(document(doc).title) == title_key) found.push_back(doc);
  }
  return found;
}

std::uint32_t Snapshot::prefix(const std::optional<Date>& cutoff) const noexcept {
  if (!cutoff) return size();
  const auto& rows = impl_->documents;
  const auto end = std::partition_point(rows.begin(), rows.end(), [&](const layout::DocumentRecord& record) {
    return strictly_older(Date{record.year, record.month, record.day}, *cutoff);
  });
  return static_cast<std::uint32_t>(end - rows.begin());
}

std::uint32_t Snapshot::evidence_size() const noexcept { return static_cast<std::uint32_t>(impl_->evidence.size()); }

EvidenceView Snapshot::evidence(std::uint32_t row) const {
  const auto& record = impl_->evidence[row];
  const auto& citing = impl_->citing[record.citing];
  EvidenceView view;
  view.citing = DocId{citing.doc};
  view.cited = DocId{record.cited};
  view.citing_year = citing.year;
  view.citing_paper = record.citing;
  if (record.mentions >= 0) view.mentions = record.mentions;
  if (record.exp_mentions >= 0) view.exp_mentions = record.exp_mentions;
  view.context_count = record.context_count;
  view.marker = impl_->context_text.substr(record.marker_offset, record.marker_length);
  return view;
}

std::uint32_t Snapshot::citing_prefix(const std::optional<Date>& cutoff) const noexcept {
  if (!cutoff) return citing_size();
  const auto& rows = impl_->citing;
  const auto end = std::partition_point(rows.begin(), rows.end(), [&](const layout::CitingRecord& record) {
    return layout::year_key(record.year) < layout::year_key(cutoff->year);
  });
  return static_cast<std::uint32_t>(end - rows.begin());
}

std::uint32_t Snapshot::evidence_prefix(const std::optional<Date>& cutoff) const noexcept {
  const std::uint32_t papers = citing_prefix(cutoff);
  if (papers == citing_size()) return evidence_size();
  return impl_->citing[papers].evidence_begin;
}

Snapshot::ContextView Snapshot::context_view(std::uint32_t evidence_row, std::uint32_t index) const {
  const auto& evidence = impl_->evidence[evidence_row];
  if (index >= evidence.context_count) return {};
  const auto& record = impl_->contexts[evidence.context_begin + index];
  return {impl_->context_text.substr(record.offset, record.section_length),
          impl_->context_text.substr(record.offset + record.section_length, record.text_length)};
}

CitationContext Snapshot::context(std::uint32_t evidence_row, std::uint32_t index) const {
  const auto view = context_view(evidence_row, index);
  return {std::string(view.section), std::string(view.text)};
}

std::span<const std::uint32_t> Snapshot::evidence_citing(DocId doc) const {
  const std::uint32_t begin = impl_->cited_offsets[doc.value];
  return impl_->cited_rows.subspan(begin, impl_->cited_offsets[doc.value + 1] - begin);
}

std::uint32_t Snapshot::citing_size() const noexcept { return static_cast<std::uint32_t>(impl_->citing.size()); }

Snapshot::CitingView Snapshot::citing(std::uint32_t row) const {
  const auto& record = impl_->citing[row];
  CitingView view;
  view.doc = DocId{record.doc};
  view.year = record.year;
  view.evidence_begin = record.evidence_begin;
  view.evidence_end = record.evidence_end;
  view.id = impl_->citing_id(record);
  if (view.doc != kNoDoc) {
    const auto document_view = document(view.doc);
    view.title = document_view.title;
    view.abstract = document_view.abstract;
  } else {
    view.title = impl_->citing_text.substr(record.offset + record.id_length, record.title_length);
    view.abstract =
        impl_->citing_text.substr(record.offset + record.id_length + record.title_length, record.abstract_length);
  }
  return view;
}

std::optional<std::uint32_t> Snapshot::find_citing(std::string_view paper_id) const {
  for (const auto& candidate : candidates(impl_->citing_ids, paper_id)) {
    if (impl_->citing_id(impl_->citing[candidate.row]) == paper_id) return candidate.row;
  }
  return std::nullopt;
}

}  // namespace mustcite::snapshot
