// Any words and places that the protocol lets through make a document: no crash, offsets in range, sentences
// in order.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/base/error.hpp"
#include "core/pdf/protocol.hpp"
#include "stages/extract/extract.hpp"
#include "stages/extract/view.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mustcite;
  pdf::Content content;
  try {
    content = pdf::decode_content(std::string_view(reinterpret_cast<const char*>(data), size));
  } catch (const Error&) {
    return 0;
  }
  for (const bool links : {true, false}) {
    extract::Options options;
    options.link_annotations = links;
    options.min_confidence = 0;
    const extract::Document document = extract::read_content(content, "fuzz.pdf", options);
    std::size_t last = 0;
    for (const auto& sentence : document.sentences) {
      if (sentence.begin < last || sentence.end > document.text.size()) std::abort();
      last = sentence.end;
    }
    for (const auto& mention : document.mentions) {
      if (mention.span.begin > mention.span.end || mention.span.end > document.text.size() ||
          mention.references.empty())
        std::abort();
      if (mention.section >= document.sections.size()) std::abort();
      for (const auto reference : mention.references) {
        if (reference >= document.references.size()) std::abort();
      }
      const auto window = extract::context_window(document, mention);
      if (window.begin > window.end || window.end > document.text.size()) std::abort();
    }
    (void)extract::text_view(document);
    (void)extract::html_view(document);
  }
  return 0;
}
