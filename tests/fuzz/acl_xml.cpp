// Any bytes give items or a refusal, and what passes the checks is clean UTF-8.

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/text/normalise.hpp"
#include "stages/import/checks.hpp"
#include "stages/import/formats.hpp"

namespace {

using namespace mustcite;

class Checked final : public importing::Output {
 public:
  void put(importing::Item item) override {
    importing::check(item, 2030);
    const auto* paper = std::get_if<Paper>(&item.content);
    if (paper != nullptr && (paper->title.empty() || !text::is_valid_utf8(paper->title + paper->abstract)))
      std::abort();
  }
  void consumed(std::uint64_t) override {}
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Checked out;
  importing::parse_acl_xml(std::string_view(reinterpret_cast<const char*>(data), size), out);
  return 0;
}
