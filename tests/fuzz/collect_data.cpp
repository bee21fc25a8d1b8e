// Any bytes are survived by the readers of XML, JSON, YAML, robots.txt and answers.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/net/answer_checks.hpp"
#include "core/net/robots.hpp"
#include "core/net/url.hpp"
#include "core/text/normalise.hpp"
#include "stages/collect/clean.hpp"
#include "stages/collect/pages.hpp"
#include "stages/collect/venues/openreview_rules.hpp"
#include "stages/collect/venues/readers.hpp"
#include "stages/collect/venues/yaml.hpp"

namespace {

using namespace mustcite;
using namespace mustcite::collect;

template <typename Act>
void survive(const Act& act) {
  try {
    act();
  } catch (const LayoutChanged&) {
  }
}

void check(const std::vector<Record>& records) {
  Edition edition;
  edition.venue = "acl";
  edition.year = 2020;
  for (std::size_t i = 0; i < records.size() && i < 20; ++i) {
    const Cleaned cleaned = clean_record(edition, records[i]);
    if (!cleaned.reject && !text::is_valid_utf8(cleaned.paper.title + cleaned.paper.abstract)) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 65536) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  survive([&] { check(read_acl_xml(text).records); });
  survive([&] { check(read_oai_records(text).records); });
  survive([&] { (void)read_oai_identifiers(text); });
  survive([&] { (void)read_oai_sets(text); });
  survive([&] { check(read_virtual_site(text).records); });
  survive([&] {
    Record record;
    record.id = "1";
    record.title = "T";
    read_neurips_metadata(text, record);
    check({record});
  });
  survive([&] {
    for (const Note& note : read_openreview_notes(text).notes) {
      for (const OpenReviewRule& rule : openreview_rules()) {
        std::string reason;
        (void)accepts(rule, note, reason);
      }
      check({record_of(openreview_rules().front(), note)});
    }
  });
  check(read_pmlr_citeproc(text));
  check({read_pmlr_post(text)});
  check(read_pmlr_bib(text));
  const net::Robots robots(text, "mustcite");
  (void)robots.allows("/papers/v1/x.html?y=1");
  if (const auto url = net::resolve("https://a.example/b/c", text); url && !net::parse_url(*url))
    std::abort();
  (void)net::is_challenge(text);
  const auto plain = net::undo_hidden_gzip(std::string(text), 1 << 20);
  if (plain && plain->size() > (1 << 20) && !(text.size() == plain->size())) std::abort();
  return 0;
}
