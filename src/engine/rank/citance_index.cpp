#include "engine/rank/citance_index.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include "core/base/threads.hpp"
#include "engine/snapshot/section_file.hpp"

namespace mustcite::rank {
namespace {

constexpr snapshot::FileKind kKind{"MCCITE\r\n", 1, "citance index", "mustcite index build"};
constexpr float kTitleWeight = 0.5F;

struct SentenceRecord {
  std::uint32_t evidence = 0;
  std::uint32_t context = 0;
  std::uint32_t begin = 0;  ///< into section `sentrows`
  std::uint32_t end = 0;
};
static_assert(sizeof(SentenceRecord) == 16);

}  // namespace

std::vector<CitingSentence> sentences_of(const snapshot::Snapshot& snapshot, std::uint32_t citing) {
  const snapshot::Snapshot::CitingView view = snapshot.citing(citing);
  std::vector<CitingSentence> sentences;
  std::unordered_map<std::string_view, std::size_t> known;
  for (std::uint32_t row = view.evidence_begin; row < view.evidence_end; ++row) {
    const std::uint32_t count = snapshot.evidence(row).context_count;
    for (std::uint32_t c = 0; c < count; ++c) {
      const std::string_view text = snapshot.context_view(row, c).text;
      const auto [at, fresh] = known.emplace(text, sentences.size());
      if (fresh) sentences.push_back({text, row, c, {}});
      std::vector<std::uint32_t>& rows = sentences[at->second].rows;
      if (rows.empty() || rows.back() != row) rows.push_back(row);
    }
  }
  return sentences;
}

void CitanceIndex::build(const index::SparseIndex& text, const snapshot::Snapshot& snapshot,
                         const std::filesystem::path& file,
                         const std::function<void(std::uint64_t)>& advance) {
  struct Entry {
    std::uint32_t term;
    Posting posting;
  };
  std::vector<Entry> entries;
  std::vector<float> lengths(snapshot.evidence_size(), 0.0F);
  std::vector<SentenceRecord> sentences;
  std::vector<std::uint32_t> sentence_rows;
  std::map<std::pair<std::uint32_t, std::uint32_t>, float> weights;  // (row, term)
  for (std::uint32_t citing = 0; citing < snapshot.citing_size(); ++citing) {
    stop_if_interrupted();
    const snapshot::Snapshot::CitingView view = snapshot.citing(citing);
    weights.clear();
    for (const CitingSentence& sentence : sentences_of(snapshot, citing)) {
      const auto begin = static_cast<std::uint32_t>(sentence_rows.size());
      sentence_rows.insert(sentence_rows.end(), sentence.rows.begin(), sentence.rows.end());
      sentences.push_back(
          {sentence.evidence, sentence.context, begin, static_cast<std::uint32_t>(sentence_rows.size())});
      const float share = 1.0F / std::sqrt(static_cast<float>(sentence.rows.size()));
      for (const index::QueryTerm& term : text.parse(sentence.text)) {
        for (const std::uint32_t row : sentence.rows) weights[{row, term.term}] += share * term.weight;
      }
    }
    for (const index::QueryTerm& term : text.parse(view.title)) {
      for (std::uint32_t row = view.evidence_begin; row < view.evidence_end; ++row) {
        weights[{row, term.term}] += kTitleWeight * term.weight;
      }
    }
    for (const auto& [key, weight] : weights) {
      entries.push_back({key.second, {key.first, weight}});
      lengths[key.first] += weight;
    }
    if (advance) advance(1);
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return a.term < b.term; });
  std::vector<std::uint64_t> begin(text.vocabulary() + 1, 0);
  std::vector<Posting> postings;
  postings.reserve(entries.size());
  for (const Entry& entry : entries) {
    ++begin[entry.term + 1];
    postings.push_back(entry.posting);
  }
  for (std::size_t term = 1; term < begin.size(); ++term) begin[term] += begin[term - 1];
  snapshot::SectionWriter out(file, kKind);
  out.begin("digest");
  out.write(std::string_view(snapshot.digest()));
  out.section("begin", begin);
  out.section("postings", postings);
  out.section("lengths", lengths);
  out.section("sentence", sentences);
  out.section("sentrows", sentence_rows);
  out.close();
}

struct CitanceIndex::Impl {
  Impl(const std::filesystem::path& path, const std::string& digest) : file(path, kKind) {
    file.expect(file.text("digest") == digest, "it belongs to another snapshot");
    begin = file.section<std::uint64_t>("begin");
    postings = file.section<Posting>("postings");
    lengths = file.section<float>("lengths");
    sentences = file.section<SentenceRecord>("sentence");
    rows = file.section<std::uint32_t>("sentrows");
    file.expect(!begin.empty() && begin.front() == 0 && begin.back() == postings.size() &&
                    std::is_sorted(begin.begin(), begin.end()),
                "its lists are out of order");
    const auto outside = [&](std::uint32_t row) { return row >= lengths.size(); };
    file.expect(std::none_of(rows.begin(), rows.end(), outside), "a sentence cites what is not there");
    file.expect(
        std::none_of(postings.begin(), postings.end(), [&](const Posting& p) { return outside(p.row); }),
        "a term points outside");
    for (const SentenceRecord& record : sentences) {
      file.expect(record.begin < record.end && record.end <= rows.size() && !outside(record.evidence),
                  "a sentence is out of range");
    }
  }
  snapshot::SectionFile file;
  std::span<const std::uint64_t> begin;
  std::span<const Posting> postings;
  std::span<const float> lengths;
  std::span<const SentenceRecord> sentences;
  std::span<const std::uint32_t> rows;
};

CitanceIndex::CitanceIndex(const std::filesystem::path& file, const std::string& digest)
    : impl_(std::make_unique<Impl>(file, digest)) {}
CitanceIndex::~CitanceIndex() = default;
CitanceIndex::CitanceIndex(CitanceIndex&&) noexcept = default;
CitanceIndex& CitanceIndex::operator=(CitanceIndex&&) noexcept = default;

std::uint32_t CitanceIndex::rows() const noexcept {
  return static_cast<std::uint32_t>(impl_->lengths.size());
}
std::span<const float> CitanceIndex::lengths() const noexcept {
  return impl_->lengths;
}

std::span<const CitanceIndex::Posting> CitanceIndex::postings(std::uint32_t term,
                                                              std::uint32_t horizon) const {
  if (term + 1 >= impl_->begin.size()) return {};
  const auto list = impl_->postings.subspan(impl_->begin[term], impl_->begin[term + 1] - impl_->begin[term]);
  if (list.empty() || list.back().row < horizon) return list;
  const auto end =
      std::lower_bound(list.begin(), list.end(), horizon,
                       [](const Posting& posting, std::uint32_t row) { return posting.row < row; });
  return {list.begin(), end};
}

std::uint32_t CitanceIndex::sentences() const noexcept {
  return static_cast<std::uint32_t>(impl_->sentences.size());
}

CitanceIndex::Sentence CitanceIndex::sentence(std::uint32_t number) const {
  const SentenceRecord& record = impl_->sentences[number];
  return {record.evidence, record.context, impl_->rows.subspan(record.begin, record.end - record.begin)};
}

std::uint32_t CitanceIndex::sentence_prefix(std::uint32_t horizon) const {
  // Sentences follow the citing papers, and those the evidence: all rows of a sentence lie in one paper's
  // range.
  const auto end =
      std::partition_point(impl_->sentences.begin(), impl_->sentences.end(),
                           [&](const SentenceRecord& record) { return record.evidence < horizon; });
  return static_cast<std::uint32_t>(end - impl_->sentences.begin());
}

}  // namespace mustcite::rank
