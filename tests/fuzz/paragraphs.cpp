// Lines of paragraphs in both schemas, and texts with citation marks.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/base/error.hpp"
#include "engine/paragraph/marks.hpp"
#include "engine/paragraph/paragraph.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mustcite;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::size_t end = 0;
  for (const auto& mark : paragraph::find_marks(text)) {
    if (mark.begin < end || mark.end <= mark.begin || mark.end > size) std::abort();
    end = mark.end;
  }
  if (paragraph::masked(text).size() > size + 1) std::abort();
  try {
    const auto read = paragraph::parse_paragraph(text);
    if (read.sentences.empty()) std::abort();
    const std::string line = paragraph::to_json_line(read);
    if (paragraph::to_json_line(paragraph::parse_paragraph(line)) != line) std::abort();
    static_cast<void>(paragraph::discourse_features(read.sentences));
  } catch (const Error&) {
    // Refused with a reason.
  }
  return 0;
}
