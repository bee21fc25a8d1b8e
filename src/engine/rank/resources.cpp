#include "engine/rank/resources.hpp"

#include <algorithm>
#include <list>
#include <mutex>

namespace mustcite::rank {
namespace {

namespace fs = std::filesystem;

LsiFiles latent_files(const fs::path& folder, std::size_t number) {
  const std::string tail = "-" + std::to_string(number) + ".bin";
  return {folder / ("lsi" + tail), folder / ("embedding" + tail)};
}

/// Horizons at which a latent space is learnt: the years asked for, and everything.
std::vector<LsiSpan> latent_spans(const snapshot::Snapshot& snapshot, std::vector<int> years) {
  std::sort(years.begin(), years.end());
  std::vector<LsiSpan> spans;
  for (const int year : years) {
    const std::optional<Date> cutoff = Date{year, 0, 0};
    const LsiSpan span{snapshot.prefix(cutoff), snapshot.evidence_prefix(cutoff), 0, 0};
    if (span.fitted == 0 || span.fitted == snapshot.size()) continue;
    if (spans.empty() || span.fitted > spans.back().fitted) spans.push_back(span);
  }
  spans.push_back({snapshot.size(), snapshot.evidence_size(), 0, 0});
  // A space serves queries up to the next one's horizon: it holds the documents and citing papers until
  // there.
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const LsiSpan& next = spans[std::min(i + 1, spans.size() - 1)];
    spans[i].documents = next.fitted;
    std::uint32_t citing = 0;
    while (citing < snapshot.citing_size() && snapshot.citing(citing).evidence_begin < next.evidence)
      ++citing;
    spans[i].citing = citing;
  }
  return spans;
}

index::BuildOptions index_options(const ResourceOptions& options, std::vector<std::string> fields) {
  index::BuildOptions result;
  result.analyzer = options.analyzer;
  result.weights.assign(fields.size(), 1);
  result.fields = std::move(fields);
  result.threads = options.threads;
  return result;
}

void build_index(const index::BuildOptions& options, const fs::path& prefix, const std::string& digest,
                 std::uint32_t rows, const std::function<void(std::uint32_t, index::Row&)>& fill,
                 Progress& progress) {
  index::SparseIndexBuilder builder(options);
  index::Row row;
  for (std::uint32_t i = 0; i < rows; ++i) {
    row.fields.clear();
    fill(i, row);
    builder.add(row);
    progress.advance(1);
  }
  builder.write(prefix, digest);
}

void build_text_indexes(const snapshot::Snapshot& snapshot, const fs::path& folder,
                        const ResourceOptions& options, Progress& progress) {
  progress.begin("indexing texts", 2 * std::uint64_t{snapshot.size()} + snapshot.citing_size());
  index::BuildOptions text = index_options(options, {"title", "abstract"});
  text.weights = {options.title_weight, options.abstract_weight};
  build_index(
      text, folder / "text", snapshot.digest(), snapshot.size(),
      [&](std::uint32_t i, index::Row& row) {
        const snapshot::DocumentView view = snapshot.document(DocId{i});
        row.fields = {view.title, view.abstract};
      },
      progress);
  build_index(
      index_options(options, {"title"}), folder / "titles", snapshot.digest(), snapshot.size(),
      [&](std::uint32_t i, index::Row& row) { row.fields = {snapshot.document(DocId{i}).title}; }, progress);
  build_index(
      index_options(options, {"title", "abstract"}), folder / "citing", snapshot.digest(),
      snapshot.citing_size(),
      [&](std::uint32_t i, index::Row& row) {
        const snapshot::Snapshot::CitingView view = snapshot.citing(i);
        row.fields = {view.title, view.abstract};
      },
      progress);
  progress.finish();
}

}  // namespace

struct Resources::Impl {
  explicit Impl(const fs::path& folder)
      : snapshot(snapshot::Snapshot::open(folder)),
        text(index::SparseIndex::open(folder / "text", snapshot.digest())),
        titles(index::SparseIndex::open(folder / "titles", snapshot.digest())),
        citing(index::SparseIndex::open(folder / "citing", snapshot.digest())),
        sentences(index::SparseIndex::open(folder / "sentences", snapshot.digest())),
        citances(folder / "citances.bin", snapshot.digest()),
        names(folder / "names.bin", snapshot.digest()),
        columns(folder / "columns.bin", snapshot.digest()),
        graph(snapshot) {
    for (std::size_t i = 0; fs::exists(latent_files(folder, i).lsi); ++i) {
      const LsiFiles files = latent_files(folder, i);
      lsi.emplace_back(files.lsi, snapshot.digest());
      embedding.emplace_back(files.embedding, snapshot.digest());
    }
  }

  snapshot::Snapshot snapshot;
  index::SparseIndex text, titles, citing, sentences;
  CitanceIndex citances;
  NameIndex names;
  Columns columns;
  graph::CitationGraph graph;
  const dense::Retriever* dense = nullptr;
  const late::Retriever* late = nullptr;
  const CrossReranker* cross = nullptr;
  std::vector<Lsi> lsi, embedding;  ///< ascending by what they were learnt from, in step
  std::mutex mutex;
  std::list<std::shared_ptr<const Statistics>> recent;  ///< newest first
};

ResourceReport build_resources(const snapshot::Snapshot& snapshot, const fs::path& folder,
                               const ResourceOptions& options, Progress& progress) {
  build_text_indexes(snapshot, folder, options, progress);
  const index::SparseIndex text = index::SparseIndex::open(folder / "text", snapshot.digest());
  const auto advance = [&](std::uint64_t units) { progress.advance(units); };

  progress.begin("indexing citing sentences", snapshot.citing_size());
  CitanceIndex::build(text, snapshot, folder / "citances.bin", advance);
  const CitanceIndex citances(folder / "citances.bin", snapshot.digest());
  build_index(
      index_options(options, {"sentence"}), folder / "sentences", snapshot.digest(), citances.sentences(),
      [&](std::uint32_t i, index::Row& row) {
        const CitanceIndex::Sentence sentence = citances.sentence(i);
        row.fields = {snapshot.context_view(sentence.evidence, sentence.context).text};
      },
      progress);
  progress.finish();

  progress.begin("mining names", 2 * std::uint64_t{snapshot.size()});
  NameIndex::build(snapshot, citances, folder / "names.bin", advance);
  progress.finish();
  Columns::build(snapshot, folder / "columns.bin");

  const graph::CitationGraph graph(snapshot);
  const index::SparseIndex titles = index::SparseIndex::open(folder / "titles", snapshot.digest());
  std::vector<LsiSpan> spans;
  if (options.latent) spans = latent_spans(snapshot, options.latent_years);
  std::uint64_t work = 0;
  for (const LsiSpan& span : spans) work += Lsi::work(span);
  progress.begin("learning latent vectors", work);
  LsiOptions lsi = options.lsi;
  lsi.threads = options.threads;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    Lsi::build({text, titles, snapshot, graph}, spans[i], lsi, latent_files(folder, i), advance);
  }
  progress.finish();
  return {snapshot.size(),
          snapshot.citing_size(),
          snapshot.evidence_size(),
          citances.sentences(),
          NameIndex(folder / "names.bin", snapshot.digest()).size(),
          static_cast<std::uint32_t>(spans.size())};
}

Resources::Resources(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Resources::Resources(Resources&&) noexcept = default;
Resources& Resources::operator=(Resources&&) noexcept = default;
Resources::~Resources() = default;

Resources Resources::open(const fs::path& folder) {
  return Resources(std::make_unique<Impl>(folder));
}

const snapshot::Snapshot& Resources::snapshot() const noexcept {
  return impl_->snapshot;
}
const index::SparseIndex& Resources::text() const noexcept {
  return impl_->text;
}
const index::SparseIndex& Resources::titles() const noexcept {
  return impl_->titles;
}
const index::SparseIndex& Resources::citing() const noexcept {
  return impl_->citing;
}
const index::SparseIndex& Resources::sentences() const noexcept {
  return impl_->sentences;
}
const CitanceIndex& Resources::citances() const noexcept {
  return impl_->citances;
}
const NameIndex& Resources::names() const noexcept {
  return impl_->names;
}
const Columns& Resources::columns() const noexcept {
  return impl_->columns;
}
const graph::CitationGraph& Resources::graph() const noexcept {
  return impl_->graph;
}
bool Resources::has_evidence() const noexcept {
  return impl_->graph.edges() > 0;
}

const dense::Retriever* Resources::dense() const noexcept {
  return impl_->dense;
}
void Resources::attach(const dense::Retriever* dense) noexcept {
  impl_->dense = dense;
}
const late::Retriever* Resources::late() const noexcept {
  return impl_->late;
}
void Resources::attach_tokens(const late::Retriever* late) noexcept {
  impl_->late = late;
}
const CrossReranker* Resources::cross() const noexcept {
  return impl_->cross;
}
void Resources::attach_cross(const CrossReranker* cross) noexcept {
  impl_->cross = cross;
}

Resources::Latent Resources::latent(std::uint32_t documents, std::uint32_t evidence) const noexcept {
  for (std::size_t i = impl_->lsi.size(); i-- > 0;) {
    const LsiSpan& span = impl_->lsi[i].span();
    if (span.fitted <= documents && span.evidence <= evidence && span.documents >= documents) {
      return {&impl_->lsi[i], &impl_->embedding[i]};
    }
  }
  return {};
}

std::shared_ptr<const Statistics> Resources::statistics(std::uint32_t documents, std::uint32_t evidence,
                                                        const std::optional<Date>& cutoff) const {
  constexpr std::size_t kKept = 4;
  const int year = cutoff ? cutoff->year : 0;
  const auto find = [&]() -> std::shared_ptr<const Statistics> {
    for (auto at = impl_->recent.begin(); at != impl_->recent.end(); ++at) {
      if ((*at)->documents == documents && (*at)->evidence == evidence && (*at)->cutoff_year == year) {
        impl_->recent.splice(impl_->recent.begin(), impl_->recent, at);
        return impl_->recent.front();
      }
    }
    return nullptr;
  };
  {
    const std::scoped_lock lock(impl_->mutex);
    if (auto known = find()) return known;
  }
  auto fresh = std::make_shared<const Statistics>(
      statistics_of(impl_->graph, impl_->citances, impl_->columns, documents, evidence, cutoff));
  const std::scoped_lock lock(impl_->mutex);
  impl_->recent.push_front(fresh);
  if (impl_->recent.size() > kKept) impl_->recent.pop_back();
  return fresh;
}

}  // namespace mustcite::rank
