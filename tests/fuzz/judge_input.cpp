// Any line reads as an instance, which then survives writing and reading and has finite features, or is
// refused; any text is a prompt that can be filled in, or is refused.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/base/error.hpp"
#include "stages/annotate/features.hpp"
#include "stages/annotate/instance.hpp"
#include "stages/annotate/prompt.hpp"

namespace {

using namespace mustcite;

template <typename Work>
void refusable(const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::invalid_input && error.code() != ErrorCode::usage) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  annotate::Instance instance;
  refusable([&] {
    instance = annotate::instance_from_json(text);
    const auto line = annotate::to_json_line(instance);
    if (annotate::to_json_line(annotate::instance_from_json(line)) != line) std::abort();
    for (const float value : annotate::features_of(instance, nullptr)) {
      if (!std::isfinite(value)) std::abort();
    }
  });
  refusable([&] {
    const auto prompt = annotate::parse_prompt(text, "fuzz");
    if (prompt.fill(instance).empty() || prompt.definition().empty()) std::abort();
  });
  return 0;
}
