// Any line either reads as a paper or a citation, which then survives writing and reading, or is refused as
// invalid_input.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/schema/jsonl.hpp"
#include "mustcite/error.hpp"
#include "stages/import/checks.hpp"
#include "stages/import/formats.hpp"

namespace {

using namespace mustcite;

class Checked final : public importing::Output {
 public:
  void put(importing::Item item) override { importing::check(item, 2030); }
  void consumed(std::uint64_t) override {}
};

template <typename Work>
void refusable(const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::invalid_input) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  refusable([&] {
    const Paper paper = paper_from_json(line);
    if (!(paper_from_json(to_json_line(paper)) == paper)) std::abort();
    Checked().put(importing::Item{paper, 1, {}, false, false});
  });
  refusable([&] {
    const Citation citation = citation_from_json(line);
    if (!(citation_from_json(to_json_line(citation)) == citation)) std::abort();
    Checked().put(importing::Item{citation, 1, {}, false, false});
  });
  Checked out;
  refusable([&] { importing::parse_openalex_line(line, 1, out); });
  refusable([&] { importing::parse_semantic_scholar_line(line, 1, out); });
  return 0;
}
