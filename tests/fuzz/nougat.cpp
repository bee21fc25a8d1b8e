// Any bytes make a document, alone and compared with another one: offsets in range, sections that cover the
// text.
#include <cstdint>
#include <string_view>

#include "stages/extract/nougat/read_nougat.hpp"
#include "stages/extract/view.hpp"
#include "fuzz/document_check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mustcite;
  extract::Options options;
  options.min_confidence = 0;
  const std::string_view markup(reinterpret_cast<const char*>(data), size);
  // The first half plays the native reader's document.
  const extract::Document other =
      extract::read_nougat(markup.substr(0, size / 2), "half.mmd", nullptr, options);
  const extract::Document document = extract::read_nougat(markup, "fuzz.mmd", &other, options);
  check_document(document);
  (void)extract::text_view(document);
  return 0;
}
