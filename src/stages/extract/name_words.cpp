#include "stages/extract/name_words.hpp"

#include <algorithm>
#include <cstring>
#include <span>

#include "core/base/error.hpp"
#include "core/base/hash.hpp"
#include "core/text/normalise.hpp"
#include "stages/extract/reference_tokens.hpp"

namespace mustcite::extract {
namespace {

constexpr char kMagic[8] = {'M', 'C', 'N', 'A', 'M', 'E', '0', '1'};

struct Header {
  char magic[8];
  std::uint64_t count;
  std::uint64_t checksum;  ///< of everything behind the header
};
static_assert(sizeof(Header) == 24);

[[noreturn]] void damaged(const char* what) {
  fail(ErrorCode::corrupt, "reading the words of names: {}; train the labeller again or reinstall it", what);
}

NameWords::Use use_of(double names, double titles) {
  if (names > 50 * titles) return NameWords::Use::name;
  if (names > 4 * titles) return NameWords::Use::mostly_name;
  if (titles > 50 * names) return NameWords::Use::title;
  if (titles > 4 * names) return NameWords::Use::mostly_title;
  return NameWords::Use::both;
}

std::uint64_t checksum_of(std::string_view bytes) {
  return checksum64(std::as_bytes(std::span(bytes.data(), bytes.size())));
}

}  // namespace

std::uint32_t word_hash(std::string_view word) noexcept {
  return static_cast<std::uint32_t>(checksum64(std::as_bytes(std::span(word.data(), word.size()))));
}

void NameWords::Builder::add(std::string_view text, std::uint32_t Counts::*field) {
  for (const auto& token : reference_tokens(text)) {
    if (token.kind != TokenKind::word || token.end - token.begin < 2) continue;
    ++(counts_[text::fold(text.substr(token.begin, token.end - token.begin))].*field);
  }
}

void NameWords::Builder::add_author(std::string_view name) {
  add(name, &Counts::names);
}
void NameWords::Builder::add_title(std::string_view title) {
  add(title, &Counts::titles);
}

NameWords NameWords::Builder::build(std::uint32_t least) const {
  double names = 1;
  double titles = 1;
  for (const auto& [word, counts] : counts_) {
    names += counts.names;
    titles += counts.titles;
  }
  std::vector<std::pair<std::uint32_t, Use>> rows;
  for (const auto& [word, counts] : counts_) {
    if (counts.names + counts.titles < least) continue;
    rows.emplace_back(word_hash(word), use_of(counts.names / names, counts.titles / titles));
  }
  std::sort(rows.begin(), rows.end());
  NameWords result;
  for (const auto& [key, use] : rows) {
    if (!result.keys_.empty() && result.keys_.back() == key) continue;
    result.keys_.push_back(key);
    result.uses_.push_back(use);
  }
  return result;
}

NameWords::Use NameWords::use(std::string_view folded_word) const noexcept {
  const std::uint32_t key = word_hash(folded_word);
  const auto found = std::lower_bound(keys_.begin(), keys_.end(), key);
  if (found == keys_.end() || *found != key) return Use::unknown;
  return uses_[static_cast<std::size_t>(found - keys_.begin())];
}

std::string NameWords::to_bytes() const {
  std::string body(reinterpret_cast<const char*>(keys_.data()), keys_.size() * sizeof(std::uint32_t));
  body.append(reinterpret_cast<const char*>(uses_.data()), uses_.size());
  Header header{};
  std::memcpy(header.magic, kMagic, sizeof(kMagic));
  header.count = keys_.size();
  header.checksum = checksum_of(body);
  return std::string(reinterpret_cast<const char*>(&header), sizeof(header)) + body;
}

NameWords NameWords::from_bytes(std::string_view bytes) {
  Header header{};
  if (bytes.size() < sizeof(header)) damaged("the file is cut off");
  std::memcpy(&header, bytes.data(), sizeof(header));
  bytes.remove_prefix(sizeof(header));
  if (std::memcmp(header.magic, kMagic, sizeof(kMagic)) != 0)
    damaged("the file is of another kind or version");
  if (header.checksum != checksum_of(bytes)) damaged("the checksum is wrong");
  constexpr std::size_t kRow = sizeof(std::uint32_t) + sizeof(Use);
  if (bytes.size() % kRow != 0 || bytes.size() / kRow != header.count) damaged("the sizes are impossible");
  NameWords words;
  words.keys_.resize(header.count);
  words.uses_.resize(header.count);
  if (header.count == 0) return words;
  std::memcpy(words.keys_.data(), bytes.data(), header.count * sizeof(std::uint32_t));
  std::memcpy(words.uses_.data(), bytes.data() + header.count * sizeof(std::uint32_t), header.count);
  if (std::any_of(words.uses_.begin(), words.uses_.end(), [](Use use) { return use > Use::title; }) ||
      !std::is_sorted(words.keys_.begin(), words.keys_.end()))
    damaged("a row is impossible");
  return words;
}

}  // namespace mustcite::extract
