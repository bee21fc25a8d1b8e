#include "core/store/record_digest.hpp"

#include <bit>
#include <span>
#include <string>

#include "core/base/hash.hpp"

namespace mustcite::store {
namespace {

/// Fields with their lengths in front, so that no two records give the same bytes.
class Bytes {
 public:
  explicit Bytes(char kind) { bytes_ += kind; }
  Bytes& add(std::string_view text) {
    add(static_cast<std::int64_t>(text.size()));
    bytes_ += text;
    return *this;
  }
  Bytes& add(std::int64_t value) {
    for (int shift = 0; shift < 64; shift += 8) bytes_ += static_cast<char>(value >> shift);
    return *this;
  }
  Bytes& add(std::optional<int> value) {
    bytes_ += value ? '1' : '0';
    return add(std::int64_t{value.value_or(0)});
  }
  Bytes& add(const Date& date) {
    return add(std::int64_t{date.year}).add(std::int64_t{date.month}).add(std::int64_t{date.day});
  }
  [[nodiscard]] std::uint64_t digest() const { return checksum64(std::as_bytes(std::span(bytes_))); }

 private:
  std::string bytes_;
};

}  // namespace

std::uint64_t record_digest(const Paper& paper) {
  Bytes bytes('P');
  bytes.add(paper.id.str())
      .add(paper.title)
      .add(paper.abstract)
      .add(static_cast<std::int64_t>(paper.authors.size()));
  for (const auto& author : paper.authors) bytes.add(author);
  bytes.add(paper.venue).add(paper.date).add(paper.track).add(paper.url).add(paper.doi).add(paper.arxiv_id);
  return bytes.digest();
}

std::uint64_t record_digest(const Citation& citation) {
  Bytes bytes('C');
  bytes.add(citation.citing.str()).add(citation.cited.str()).add(std::int64_t{citation.citing_year});
  bytes.add(citation.mentions).add(citation.exp_mentions).add(citation.marker);
  bytes.add(static_cast<std::int64_t>(citation.contexts.size()));
  for (const auto& context : citation.contexts) bytes.add(context.section).add(context.text);
  return bytes.digest();
}

std::uint64_t record_digest(const Label& label) {
  Bytes bytes('L');
  bytes.add(label.citing.str())
      .add(label.cited.str())
      .add(tier_name(label.tier))
      .add(std::int64_t{label.value});
  bytes.add(label.judge).add(label.definition).add(label.date);
  // Labels without provenance keep the digest they had before there was any.
  if (!label.model.empty() || label.probability || !label.reply.empty()) {
    bytes.add(label.model).add(label.reply);
    bytes.add(label.probability ? std::bit_cast<std::int64_t>(*label.probability) : std::int64_t{-1});
  }
  return bytes.digest();
}

}  // namespace mustcite::store
