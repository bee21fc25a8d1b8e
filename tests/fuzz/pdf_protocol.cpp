// The PDF worker reads hostile files, so its answers are hostile: any bytes decode to a content or throw
// corrupt, and what was decoded encodes to the same bytes again.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/base/error.hpp"
#include "core/pdf/protocol.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mustcite;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto guarded = [](auto&& work) {
    try {
      work();
    } catch (const Error& error) {
      if (error.code() != ErrorCode::corrupt) std::abort();
    }
  };
  guarded([&] { (void)pdf::decode_header(bytes, pdf::kMaxAnswerBytes); });
  guarded([&] { (void)pdf::decode_refusal(bytes); });
  guarded([&] { (void)pdf::decode_limits(bytes); });
  guarded([&] {
    const pdf::Content content = pdf::decode_content(bytes);
    const std::string again = pdf::encode_content(content);
    if (pdf::encode_content(pdf::decode_content(again)) != again) std::abort();
  });
  return 0;
}
