#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/audit/latex/reader.hpp"
#include "apps/audit/read_draft.hpp"
#include "apps/audit/source_tree.hpp"
#include "mustcite/error.hpp"

namespace {

using namespace mustcite;

void check(const audit::Draft& draft) {
  for (const auto& mention : draft.mentions) {
    if (mention.begin > mention.end || mention.end > draft.text.size()) std::abort();
    if (mention.sentence_begin > mention.begin || mention.sentence_end < mention.end || mention.sentence_end > draft.text.size()) std::abort();
    if (mention.section != audit::kNoSection && mention.section >= draft.sections.size()) std::abort();
  }
  for (const auto& section : draft.sections) {
    if (section.begin > section.end || section.end > draft.text.size()) std::abort();
  }
}

}  // namespace

/// The first byte picks the reader. A NUL in a LaTeX draft parts its main file from a file named b, and that from x.bib.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  audit::ReadLimits limits;
  limits.total_bytes = std::size_t{4} << 20;
  try {
    switch (data[0] % 4) {
      case 0: {
        (void)audit::read_zip(bytes, limits);
        break;
      }
      case 1:
        check(audit::read_markdown(bytes, "d.md", audit::MemoryTree(std::map<std::string, std::string>{})));
        check(audit::read_text(bytes, "d.txt"));
        break;
      default: {
        std::map<std::string, std::string> files;
        std::size_t from = 0;
        for (const char* name : {"main.tex", "b.tex", "x.bib"}) {
          const std::size_t end = std::min(bytes.find('\0', from), bytes.size());
          files[name] = std::string(bytes.substr(from, end - from));
          from = std::min(end + 1, bytes.size());
        }
        const audit::MemoryTree tree(std::move(files));
        std::vector<audit::Problem> problems;
        (void)audit::latex::find_main_file(tree, problems);
        check(audit::latex::read_latex(tree, "main.tex", limits));
      }
    }
  } catch (const Error&) {
    // Refusals are fine; crashes, hangs and broken ranges are not.
  }
  return 0;
}
