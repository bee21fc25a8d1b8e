// Any bytes parse; entries stay within the text's size, and what we write of a paper is read back without a
// problem.

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/schema/bibtex.hpp"
#include "core/text/normalise.hpp"
#include "stages/import/checks.hpp"
#include "stages/import/formats.hpp"

namespace {

using namespace mustcite;

class Written final : public importing::Output {
 public:
  void put(importing::Item item) override {
    importing::check(item, 2030);
    const auto* paper = std::get_if<Paper>(&item.content);
    if (paper == nullptr) return;
    const text::BibFile file = text::parse_bibtex(to_bibtex(*paper));
    if (file.entries.size() != 1 || !file.problems.empty()) std::abort();
  }
  void consumed(std::uint64_t) override {}
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const text::BibEntry& entry : text::parse_bibtex(text).entries) {
    if (entry.line == 0) std::abort();
    for (const auto& [name, value] : entry.fields) {
      if (!text::is_valid_utf8(entry.text(name)) || !text::is_valid_utf8(entry.verbatim(name))) std::abort();
    }
  }
  Written out;
  importing::parse_bibtex_items(text, out);
  return 0;
}
