// Any bytes make a document or a refusal: offsets in range, sentences in order, JSON that is text.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/base/error.hpp"
#include "core/text/normalise.hpp"
#include "stages/extract/tei/read_tei.hpp"
#include "stages/extract/view.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mustcite;
  extract::Options options;
  options.min_confidence = 0;
  extract::Document document;
  try {
    document = extract::read_tei(std::string_view(reinterpret_cast<const char*>(data), size), "fuzz.tei.xml",
                                 options);
  } catch (const Error&) {
    return 0;
  }
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
