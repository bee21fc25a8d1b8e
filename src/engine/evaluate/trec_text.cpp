#include "engine/evaluate/trec_text.hpp"

#include <algorithm>
#include <system_error>

#include "core/base/error.hpp"
#include "core/io/lines.hpp"

namespace mustcite::evaluate {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{1} << 20;

bool compressed(std::string_view text) {
  return text.starts_with("\x28\xb5\x2f\xfd") || text.starts_with("\x1f\x8b");
}

std::string read_stream(const std::filesystem::path& path, std::size_t max_bytes) {
  const auto reader = io::open_reader(path);
  std::string text;
  for (;;) {
    const std::size_t old_size = text.size();
    text.resize(old_size + kChunkBytes);
    const std::size_t got = reader->read(text.data() + old_size, kChunkBytes);
    text.resize(old_size + got);
    if (got == 0) return text;
    if (text.size() > max_bytes) {
      fail(ErrorCode::invalid_input,
           "{} holds more than {} bytes, the most that is read here: split it by query", path.string(),
           max_bytes);
    }
  }
}

}  // namespace

TrecText::TrecText(const std::filesystem::path& path, std::size_t max_bytes) {
  std::error_code ignored;
  if (path != "-" && std::filesystem::is_regular_file(path, ignored)) {
    mapped_.emplace(path);
    if (!compressed(mapped_->text())) return;
    mapped_.reset();
  } else if (path != "-" && std::filesystem::is_directory(path, ignored)) {
    fail(ErrorCode::invalid_input, "cannot read {}: it is a folder; name a run or qrels file in it",
         path.string());
  }
  owned_ = std::make_shared<const std::string>(read_stream(path, max_bytes));
}

TrecText TrecText::from_string(std::string text) {
  TrecText result;
  result.owned_ = std::make_shared<const std::string>(std::move(text));
  return result;
}

std::size_t TrecText::line_of(std::size_t offset) const noexcept {
  const std::string_view text = view().substr(0, offset);
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
}

std::size_t count_columns(std::string_view line) noexcept {
  const char* at = line.data();
  std::size_t count = 0;
  while (!next_column(at, line.data() + line.size()).empty()) ++count;
  return count;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kMost = 60;
  std::string shown = "\"";
  for (const char c : text.substr(0, kMost))
    shown += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  if (text.size() > kMost) shown += "…";
  return shown + "\"";
}

}  // namespace mustcite::evaluate
