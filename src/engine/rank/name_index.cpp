#include "engine/rank/name_index.hpp"

#include <algorithm>
#include <unordered_map>

#include "core/base/hash.hpp"
#include "core/base/threads.hpp"
#include "engine/snapshot/section_file.hpp"

namespace mustcite::rank {
namespace {

constexpr snapshot::FileKind kKind{"MCNAME\r\n", 1, "name index", "mustcite index build"};

struct HashRecord {
  std::uint64_t hash = 0;
  std::uint32_t name = 0;
  std::uint32_t zero = 0;
};
static_assert(sizeof(HashRecord) == 16);
static_assert(sizeof(NameIndex::Owned) == 12);

std::uint64_t hash_of(std::string_view text) {
  return checksum64(std::as_bytes(std::span(text)));
}

/// Calls `visit(lower-case candidate)` for everything in the text that could be a name.
template <typename Visit>
void each_candidate(std::string_view text, Visit visit) {
  std::vector<std::string> words;
  for (const std::string_view word : name_words(text)) {
    std::string small(word);
    for (char& c : small) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    words.push_back(std::move(small));
  }
  std::string joined;
  for (std::size_t i = 0; i < words.size(); ++i) {
    joined.clear();
    for (std::size_t n = 0; n < 3 && i + n < words.size(); ++n) {
      if (n > 0) joined += ' ';
      joined += words[i + n];
      visit(std::string_view(joined));
    }
    const std::string_view word = words[i];
    if (word.find('-') == std::string_view::npos) continue;
    for (std::size_t begin = 0; begin <= word.size();) {
      const std::size_t end = std::min(word.find('-', begin), word.size());
      if (end > begin) visit(word.substr(begin, end - begin));
      begin = end + 1;
    }
  }
}

/// Lists of numbers, one after another.
struct Lists {
  std::vector<std::uint64_t> begin{0};
  std::vector<std::uint32_t> values;
};

/// The lists the other way round: for each value below `count`, the lists that hold it, ascending.
Lists inverted(const Lists& lists, std::size_t count) {
  Lists result;
  result.begin.assign(count + 1, 0);
  for (const std::uint32_t value : lists.values) ++result.begin[value + 1];
  for (std::size_t i = 1; i < result.begin.size(); ++i) result.begin[i] += result.begin[i - 1];
  result.values.resize(lists.values.size());
  std::vector<std::uint64_t> next(result.begin.begin(), result.begin.end() - 1);
  for (std::size_t list = 0; list + 1 < lists.begin.size(); ++list) {
    for (std::uint64_t k = lists.begin[list]; k < lists.begin[list + 1]; ++k) {
      result.values[next[lists.values[k]]++] = static_cast<std::uint32_t>(list);
    }
  }
  return result;
}

class NameBuilder {
 public:
  explicit NameBuilder(const snapshot::Snapshot& snapshot) : snapshot_(snapshot) {}

  void mine(const std::function<void(std::uint64_t)>& advance) {
    std::vector<std::uint16_t> owners, prefix_owners;
    for (std::uint32_t doc = 0; doc < snapshot_.size(); ++doc) {
      if (doc % 4096 == 0) stop_if_interrupted();
      const snapshot::DocumentView view = snapshot_.document(DocId{doc});
      for (const MinedName& mined : mine_names(view.title, view.abstract)) {
        const auto [at, fresh] = ids_.emplace(mined.name, static_cast<std::uint32_t>(names_.size()));
        if (fresh) {
          names_.push_back(mined.name);
          owners.push_back(0);
          prefix_owners.push_back(0);
        }
        const std::uint32_t id = at->second;
        NameIndex::Owned owned{id, mined.kind, 0, owners[id], prefix_owners[id], 0};
        if (owners[id] < 0xffff) ++owners[id];
        if (owned.by_prefix() && prefix_owners[id] < 0xffff) ++prefix_owners[id];
        owned_.push_back(owned);
      }
      owned_begin_.push_back(owned_.size());
      if (advance) advance(1);
    }
  }

  [[nodiscard]] std::vector<std::uint32_t> find(std::string_view text) const {
    std::vector<std::uint32_t> found;
    each_candidate(text, [&](std::string_view candidate) {
      key_.assign(candidate);
      const auto at = ids_.find(key_);
      if (at != ids_.end()) found.push_back(at->second);
    });
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  }

  void write(snapshot::SectionWriter& out) const {
    std::vector<std::uint32_t> offsets{0};
    std::string text;
    std::vector<HashRecord> table;
    for (std::uint32_t id = 0; id < names_.size(); ++id) {
      text += names_[id];
      offsets.push_back(static_cast<std::uint32_t>(text.size()));
      table.push_back({hash_of(names_[id]), id, 0});
    }
    std::sort(table.begin(), table.end(), [](const HashRecord& a, const HashRecord& b) {
      return a.hash != b.hash ? a.hash < b.hash : a.name < b.name;
    });
    out.section("offsets", offsets);
    out.begin("text");
    out.write(std::string_view(text));
    out.section("table", table);
    out.section("ownbegin", owned_begin_);
    out.section("owned", owned_);
  }
  [[nodiscard]] std::size_t size() const { return names_.size(); }

 private:
  const snapshot::Snapshot& snapshot_;
  std::unordered_map<std::string, std::uint32_t> ids_;
  std::vector<std::string> names_;
  std::vector<std::uint64_t> owned_begin_{0};
  std::vector<NameIndex::Owned> owned_;
  mutable std::string key_;
};

void write_lists(snapshot::SectionWriter& out, const std::string& name, const Lists& lists) {
  out.section(name + "b", lists.begin);
  out.section(name + "v", lists.values);
}

}  // namespace

void NameIndex::build(const snapshot::Snapshot& snapshot, const CitanceIndex& citances,
                      const std::filesystem::path& file, const std::function<void(std::uint64_t)>& advance) {
  NameBuilder builder(snapshot);
  builder.mine(advance);
  Lists mentions, sentences;
  for (std::uint32_t doc = 0; doc < snapshot.size(); ++doc) {
    if (doc % 4096 == 0) stop_if_interrupted();
    const snapshot::DocumentView view = snapshot.document(DocId{doc});
    const auto found = builder.find(std::string(view.title) + " . " + std::string(view.abstract));
    mentions.values.insert(mentions.values.end(), found.begin(), found.end());
    mentions.begin.push_back(mentions.values.size());
    if (advance) advance(1);
  }
  for (std::uint32_t s = 0; s < citances.sentences(); ++s) {
    const CitanceIndex::Sentence sentence = citances.sentence(s);
    const auto found = builder.find(snapshot.context_view(sentence.evidence, sentence.context).text);
    sentences.values.insert(sentences.values.end(), found.begin(), found.end());
    sentences.begin.push_back(sentences.values.size());
  }
  snapshot::SectionWriter out(file, kKind);
  out.begin("digest");
  out.write(std::string_view(snapshot.digest()));
  builder.write(out);
  write_lists(out, "holds", mentions);
  write_lists(out, "docs", inverted(mentions, builder.size()));
  write_lists(out, "sents", inverted(sentences, builder.size()));
  out.close();
}

struct NameIndex::Impl {
  struct View {
    std::span<const std::uint64_t> begin;
    std::span<const std::uint32_t> values;
    [[nodiscard]] std::span<const std::uint32_t> list(std::size_t i) const {
      return values.subspan(begin[i], begin[i + 1] - begin[i]);
    }
  };

  Impl(const std::filesystem::path& path, const std::string& digest) : file(path, kKind) {
    file.expect(file.text("digest") == digest, "it belongs to another snapshot");
    offsets = file.section<std::uint32_t>("offsets");
    text = file.text("text");
    table = file.section<HashRecord>("table");
    owned_begin = file.section<std::uint64_t>("ownbegin");
    owned = file.section<Owned>("owned");
    file.expect(
        !offsets.empty() && offsets.back() == text.size() && std::is_sorted(offsets.begin(), offsets.end()),
        "its names are out of order");
    const std::size_t names = offsets.size() - 1;
    file.expect(table.size() == names && std::all_of(table.begin(), table.end(),
                                                     [&](const HashRecord& r) { return r.name < names; }),
                "its table has a wrong size");
    check_begin(owned_begin, owned.size());
    file.expect(std::all_of(owned.begin(), owned.end(), [&](const Owned& o) { return o.name < names; }),
                "a document owns what is no name");
    holds = lists("holds", owned_begin.size() - 1);
    file.expect(
        std::all_of(holds.values.begin(), holds.values.end(), [&](std::uint32_t n) { return n < names; }),
        "a document holds what is no name");
    docs = lists("docs", names);
    sentences = lists("sents", names);
  }

  void check_begin(std::span<const std::uint64_t> begin, std::size_t size) const {
    file.expect(!begin.empty() && begin.front() == 0 && begin.back() == size &&
                    std::is_sorted(begin.begin(), begin.end()),
                "its lists are out of order");
  }

  View lists(const std::string& name, std::size_t count) const {
    const View view{file.section<std::uint64_t>(name + "b"), file.section<std::uint32_t>(name + "v")};
    check_begin(view.begin, view.values.size());
    file.expect(view.begin.size() == count + 1, "its lists have a wrong number");
    return view;
  }

  snapshot::SectionFile file;
  std::span<const std::uint32_t> offsets;
  std::string_view text;
  std::span<const HashRecord> table;
  std::span<const std::uint64_t> owned_begin;
  std::span<const Owned> owned;
  View holds, docs, sentences;
};

NameIndex::NameIndex(const std::filesystem::path& file, const std::string& digest)
    : impl_(std::make_unique<Impl>(file, digest)) {}
NameIndex::~NameIndex() = default;
NameIndex::NameIndex(NameIndex&&) noexcept = default;
NameIndex& NameIndex::operator=(NameIndex&&) noexcept = default;

std::uint32_t NameIndex::size() const noexcept {
  return static_cast<std::uint32_t>(impl_->table.size());
}

std::string_view NameIndex::name(std::uint32_t id) const {
  return impl_->text.substr(impl_->offsets[id], impl_->offsets[id + 1] - impl_->offsets[id]);
}

std::vector<std::uint32_t> NameIndex::find(std::string_view text) const {
  std::vector<std::uint32_t> found;
  each_candidate(text, [&](std::string_view candidate) {
    const std::uint64_t hash = hash_of(candidate);
    auto at =
        std::lower_bound(impl_->table.begin(), impl_->table.end(), hash,
                         [](const HashRecord& record, std::uint64_t value) { return record.hash < value; });
    for (; at != impl_->table.end() && at->hash == hash; ++at) {
      if (name(at->name) == candidate) found.push_back(at->name);
    }
  });
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::span<const NameIndex::Owned> NameIndex::owned(DocId doc) const {
  const std::uint64_t begin = impl_->owned_begin[doc.value];
  return impl_->owned.subspan(begin, impl_->owned_begin[doc.value + 1] - begin);
}

std::span<const std::uint32_t> NameIndex::mentioned(DocId doc) const {
  return impl_->holds.list(doc.value);
}

std::uint32_t NameIndex::documents_with(std::uint32_t name, std::uint32_t prefix) const {
  const auto list = impl_->docs.list(name);
  return static_cast<std::uint32_t>(std::lower_bound(list.begin(), list.end(), prefix) - list.begin());
}

std::uint32_t NameIndex::sentences_with(std::uint32_t name, std::uint32_t prefix) const {
  const auto list = impl_->sentences.list(name);
  return static_cast<std::uint32_t>(std::lower_bound(list.begin(), list.end(), prefix) - list.begin());
}

}  // namespace mustcite::rank
