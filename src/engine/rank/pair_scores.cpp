#include "engine/rank/pair_scores.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

#include "core/base/error.hpp"
#include "core/base/hash.hpp"
#include "core/io/file.hpp"

namespace mustcite::rank {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kKind = "# mustcite pair scores 1";
constexpr std::size_t kMostBytes = std::size_t{4} << 30;

std::string key_of(std::uint64_t text, std::string_view document) {
  return fmt::format("{:016x}\t{}", text, document);
}

}  // namespace

std::uint64_t text_digest(std::string_view text) noexcept {
  return checksum64(std::as_bytes(std::span(text)));
}

PairScores::PairScores(const fs::path& file, const std::string& model_digest,
                       const std::string& snapshot_digest)
    : file_(file) {
  const std::string head = fmt::format("{} model {} snapshot {}\n", kKind, model_digest, snapshot_digest);
  if (fs::exists(file)) read(file, head);
  const bool fresh = !fs::exists(file) || fs::file_size(file) == 0;
  out_.open(file, std::ios::app | std::ios::binary);
  if (!out_)
    fail(ErrorCode::unavailable, "cannot write the scores {}: give a path that can be written",
         file.string());
  if (fresh) out_ << head;
  flush();
}

void PairScores::read(const fs::path& file, const std::string& head) {
  const std::string bytes = io::read_file(file, kMostBytes);
  const std::size_t whole = bytes.rfind('\n') == std::string::npos ? 0 : bytes.rfind('\n') + 1;
  if (whole == 0 && !head.starts_with(bytes))
    fail(ErrorCode::invalid_input, "{} holds no scores of pairs: give another file", file.string());
  if (whole > 0 && !std::string_view(bytes).starts_with(head)) {
    fail(ErrorCode::invalid_input,
         "the scores in {} are of another model or index: give another file, or remove this one",
         file.string());
  }
  std::size_t number = 1;
  for (std::size_t begin = std::min(whole, head.size()); begin < whole;) {
    const std::size_t end = bytes.find('\n', begin);
    read_line(std::string_view(bytes).substr(begin, end - begin), ++number);
    begin = end + 1;
  }
  if (whole < bytes.size()) fs::resize_file(file, whole);
}

void PairScores::read_line(std::string_view line, std::size_t number) {
  std::array<std::string_view, 4> fields;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::size_t tab = i + 1 < fields.size() ? line.find('\t') : line.size();
    if (tab == std::string_view::npos) break;
    fields[i] = line.substr(0, tab);
    line.remove_prefix(std::min(line.size(), tab + 1));
  }
  std::uint64_t text = 0;
  float score = 0;
  const auto parsed = [](std::string_view field, const auto& result) {
    return !field.empty() && result.ec == std::errc() && result.ptr == field.data() + field.size();
  };
  const auto& digest = fields[1];
  const auto& number_field = fields[3];
  if (!parsed(digest, std::from_chars(digest.data(), digest.data() + digest.size(), text, 16)) ||
      !parsed(number_field,
              std::from_chars(number_field.data(), number_field.data() + number_field.size(), score)) ||
      !std::isfinite(score)) {
    fail(ErrorCode::corrupt, "{} line {} is no score of a pair: remove the file to compute the scores anew",
         file_.string(), number);
  }
  scores_[key_of(text, fields[2])] = score;
}

std::optional<float> PairScores::find(std::uint64_t text, std::string_view document) const {
  const auto found = scores_.find(key_of(text, document));
  return found == scores_.end() ? std::nullopt : std::optional(found->second);
}

void PairScores::add(std::string_view query, std::uint64_t text, std::string_view document, float score) {
  scores_[key_of(text, document)] = score;
  if (out_.is_open()) out_ << fmt::format("{}\t{:016x}\t{}\t{}\n", query, text, document, score);
}

void PairScores::flush() {
  if (!out_.is_open()) return;
  out_.flush();
  if (!out_) fail(ErrorCode::exhausted, "cannot write the scores {}: is the disk full?", file_.string());
}

}  // namespace mustcite::rank
