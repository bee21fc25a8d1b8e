#include <fmt/format.h>

#include <memory>

#include "core/base/error.hpp"
#include "core/io/lines.hpp"
#include "core/schema/jsonl.hpp"
#include "core/text/normalise.hpp"
#include "stages/import/formats.hpp"

namespace mustcite::importing {
namespace {

constexpr std::size_t kLargestWhole = std::size_t{1} << 30;
constexpr std::size_t kShown = 80;

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

void parse_line(std::string_view line, std::uint64_t number, Kind kind, Output& output) {
  switch (kind) {
    case Kind::openalex:
      return parse_openalex_line(line, number, output);
    case Kind::semantic_scholar:
      return parse_semantic_scholar_line(line, number, output);
    case Kind::citations:
      return output.put(Item{citation_from_json(line), number, {}, false, false});
    default:
      return output.put(Item{paper_from_json(line), number, {}, false, false});
  }
}

/// Marks what the line gives as repaired.
class RepairedOutput final : public Output {
 public:
  explicit RepairedOutput(Output& output) : output_(output) {}
  void put(Item item) override {
    item.repaired_utf8 = true;
    output_.put(std::move(item));
  }
  void consumed(std::uint64_t bytes) override { output_.consumed(bytes); }

 private:
  Output& output_;
};

void read_line(std::string_view line, std::uint64_t number, Kind kind, Output& output) {
  const bool valid = text::is_valid_utf8(line);
  const std::string repaired = valid ? std::string() : text::repair_utf8(line);
  RepairedOutput marking(output);
  Output& target = valid ? output : marking;
  if (!valid) line = repaired;
  try {
    parse_line(line, number, kind, target);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::invalid_input) throw;
    std::string shown(line.substr(0, kShown));
    output.put(Item{
        Refused{text::repair_utf8(shown), error.what(), kind == Kind::citations}, number, {}, false, false});
  }
}

}  // namespace

void read_lines(const std::filesystem::path& file, Kind kind, Output& output) {
  io::LineReader reader(file);
  std::string_view line;
  while (reader.next(line)) {
    const std::uint64_t number = reader.line_number();
    if (number == 1 && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
    if (reader.too_long()) {
      output.put(Item{Refused{text::repair_utf8(line.substr(0, kShown)), "the line is longer than 64 MiB",
                              kind == Kind::citations},
                      number,
                      {},
                      false,
                      false});
    } else if (!is_blank(line)) {
      read_line(line, number, kind, output);
    }
    output.consumed(reader.consumed());
  }
}

std::string read_whole(const std::filesystem::path& file) {
  const std::unique_ptr<io::ByteReader> reader = io::open_reader(file);
  std::string text;
  std::string block(std::size_t{1} << 20, '\0');
  for (std::size_t size = reader->read(block.data(), block.size()); size > 0;
       size = reader->read(block.data(), block.size())) {
    text.append(block, 0, size);
    if (text.size() > kLargestWhole) {
      fail(ErrorCode::invalid_input, "reading {}: it is larger than 1 GiB; split it", file.string());
    }
  }
  return text;
}

}  // namespace mustcite::importing
