// Any bytes make a document, alone and compared with another one: offsets in range, sections that cover the
// text.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/text/normalise.hpp"
#include "stages/extract/nougat/read_nougat.hpp"
#include "stages/extract/view.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mustcite;
  extract::Options options;
  options.min_confidence = 0;
  const std::string_view markup(reinterpret_cast<const char*>(data), size);
  // The first half plays the native reader's document.
  const extract::Document other =
      extract::read_nougat(markup.substr(0, size / 2), "half.mmd", nullptr, options);
  const extract::Document document = extract::read_nougat(markup, "fuzz.mmd", &other, options);
  std::size_t last = 0;
  for (const auto& sentence : document.sentences) {
    if (sentence.begin < last || sentence.end > document.text.size()) std::abort();
    last = sentence.end;
  }
  std::size_t end = 0;
  for (const auto& section : document.sections) {
    if (section.span.begin != end || section.span.end < end) std::abort();
    end = section.span.end;
  }
  if (end != document.text.size() || !text::is_valid_utf8(document.text)) std::abort();
  for (const auto& mention : document.mentions) {
    if (mention.span.begin > mention.span.end || mention.span.end > document.text.size() ||
        mention.references.empty() || mention.section >= document.sections.size())
      std::abort();
    for (const auto reference : mention.references) {
      if (reference >= document.references.size()) std::abort();
    }
    if (extract::context_window(document, mention).end > document.text.size()) std::abort();
  }
  (void)extract::text_view(document);
  return 0;
}
