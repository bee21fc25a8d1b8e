// Any bytes make a document or a refusal: offsets in range, sentences in order, JSON that is text.
#include <cstdint>
#include <string_view>

#include "core/base/error.hpp"
#include "stages/extract/tei/read_tei.hpp"
#include "stages/extract/view.hpp"
#include "fuzz/document_check.hpp"

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
  check_document(document);
  (void)extract::text_view(document);
  return 0;
}
