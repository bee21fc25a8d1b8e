#include "stages/annotate/sentence_model.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>

#include "core/base/error.hpp"
#include "core/base/hash.hpp"
#include "core/learn/sparse_logistic.hpp"
#include "stages/annotate/marker.hpp"
#include "stages/annotate/section.hpp"

namespace mustcite::annotate {
namespace {

constexpr std::size_t kBuckets = std::size_t{1} << 15;
constexpr std::string_view kMagic = "MCSENT1\n";
/// Words this far from the marker are left out: they speak of something else.
constexpr std::size_t kReachBytes = 180;

std::uint32_t bucket(std::string_view text) {
  return static_cast<std::uint32_t>(checksum64(std::as_bytes(std::span(text))) & (kBuckets - 1));
}

/// Hashed words and pairs of neighbours, each once.
std::vector<std::uint32_t> columns_of(std::string_view tokens) {
  std::vector<std::uint32_t> columns;
  std::string_view last;
  std::string pair;
  for (std::size_t at = 0; at < tokens.size();) {
    const std::size_t end = std::min(tokens.find(' ', at), tokens.size());
    const std::string_view word = tokens.substr(at, end - at);
    at = end + 1;
    if (word.empty()) continue;
    columns.push_back(bucket(word));
    if (!last.empty()) {
      pair.assign(last).append(" ").append(word);
      columns.push_back(bucket(pair));
    }
    last = word;
  }
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  return columns;
}

/// Appends the words of a stretch of text; numbers become `0`, bracketed citations `[c]`.
void append_words(std::string_view text, std::string& out) {
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (text[at] == '[' || text[at] == '(') {
      const std::size_t close = text.find(text[at] == '[' ? ']' : ')', at);
      const std::string_view inside = text.substr(at, close - at);
      const bool has_digit =
          std::any_of(inside.begin(), inside.end(), [](char c) { return c >= '0' && c <= '9'; });
      if (close != std::string_view::npos && has_digit && inside.size() < 200) {
        out += "[c] ";
        at = close + 1;
        continue;
      }
    }
    if (std::isalpha(byte) != 0) {
      while (at < text.size() &&
             (std::isalpha(static_cast<unsigned char>(text[at])) != 0 || text[at] == '-')) {
        out += static_cast<char>(std::tolower(static_cast<unsigned char>(text[at])));
        ++at;
      }
      out += ' ';
    } else if (std::isdigit(byte) != 0) {
      while (at < text.size() && (std::isdigit(static_cast<unsigned char>(text[at])) != 0 || text[at] == '.'))
        ++at;
      out += "0 ";
    } else {
      ++at;
    }
  }
}

}  // namespace

std::string SentenceModel::tokens_around(std::string_view sentence, std::size_t begin, std::size_t end) {
  end = std::min(end, sentence.size());
  begin = std::min(begin, end);
  const std::size_t first = begin > kReachBytes ? begin - kReachBytes : 0;
  std::string tokens;
  append_words(sentence.substr(first, begin - first), tokens);
  tokens += "[this] ";
  append_words(sentence.substr(end, kReachBytes), tokens);
  return tokens;
}

std::string SentenceModel::tokens_of(const CitationContext& context, std::string_view cited_as) {
  const auto places = find_marker(context.text, cited_as);
  if (places.empty()) return tokens_around(context.text, 0, 0);
  const auto& place = places.front();
  std::string tokens = tokens_around(context.text, place.begin, place.end);
  tokens += place.is_textual   ? "[textual] "
            : place.group == 1 ? "[alone] "
            : place.group < 4  ? "[few] "
                               : "[many] ";
  return tokens;
}

SentenceModel SentenceModel::train(const std::vector<Example>& examples, int passes) {
  learn::SparseExamples rows;
  for (const auto& example : examples) {
    rows.add(columns_of(example.tokens), example.label, example.weight);
  }
  learn::SparseLogisticOptions options;
  options.columns = kBuckets;
  options.passes = passes;
  const auto fitted = learn::fit_sparse_logistic(rows, options);
  SentenceModel model;
  float largest = 0;
  for (const float weight : fitted.weights) largest = std::max(largest, std::abs(weight));
  model.scale_ = largest > 0 ? largest / 127 : 1;
  model.intercept_ = fitted.intercept;
  model.weights_.resize(kBuckets);
  for (std::size_t i = 0; i < kBuckets; ++i)
    model.weights_[i] = static_cast<std::int8_t>(std::lround(fitted.weights[i] / model.scale_));
  return model;
}

float SentenceModel::score(std::string_view tokens) const {
  if (weights_.empty()) return 0;
  int sum = 0;
  for (const std::uint32_t column : columns_of(tokens)) sum += weights_[column];
  return intercept_ + scale_ * static_cast<float>(sum);
}

std::string SentenceModel::to_bytes() const {
  std::string bytes(kMagic);
  const auto append = [&](const void* data, std::size_t size) {
    bytes.append(static_cast<const char*>(data), size);
  };
  append(&scale_, sizeof(scale_));
  append(&intercept_, sizeof(intercept_));
  append(weights_.data(), weights_.size());
  const std::uint64_t checksum = checksum64(std::as_bytes(std::span(bytes)));
  append(&checksum, sizeof(checksum));
  return bytes;
}

SentenceModel SentenceModel::from_bytes(std::string_view bytes) {
  const std::size_t expected = kMagic.size() + 2 * sizeof(float) + kBuckets + sizeof(std::uint64_t);
  std::uint64_t checksum = 0;
  if (bytes.size() == expected)
    std::memcpy(&checksum, bytes.data() + bytes.size() - sizeof(checksum), sizeof(checksum));
  const std::string_view content = bytes.substr(0, std::min(bytes.size(), expected - sizeof(checksum)));
  if (bytes.size() != expected || !bytes.starts_with(kMagic) ||
      checksum != checksum64(std::as_bytes(std::span(content)))) {
    fail(ErrorCode::corrupt, "the sentence model of the local judge is damaged; install the model again");
  }
  SentenceModel model;
  const char* at = bytes.data() + kMagic.size();
  std::memcpy(&model.scale_, at, sizeof(float));
  std::memcpy(&model.intercept_, at + sizeof(float), sizeof(float));
  if (!std::isfinite(model.scale_) || !std::isfinite(model.intercept_))
    fail(ErrorCode::corrupt,
         "the sentence model of the local judge holds no numbers; install the model again");
  model.weights_.resize(kBuckets);
  std::memcpy(model.weights_.data(), at + 2 * sizeof(float), kBuckets);
  return model;
}

}  // namespace mustcite::annotate
