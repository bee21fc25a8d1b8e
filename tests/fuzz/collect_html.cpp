// Any bytes are survived by every reader of pages: it reads records, or notices another layout. Whatever is
// read becomes clean text, and nothing is both taken and lost.

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>

#include "core/base/error.hpp"
#include "core/text/normalise.hpp"
#include "stages/collect/clean.hpp"
#include "stages/collect/html/decode_page.hpp"
#include "stages/collect/html/document.hpp"
#include "stages/collect/pages.hpp"
#include "stages/collect/venues/readers.hpp"

namespace {

using namespace mustcite;
using namespace mustcite::collect;

constexpr const char* kBase = "https://site.example/papers/v1/index.html";

void check(const Record& record) {
  Edition edition;
  edition.venue = "icml";
  edition.year = 2020;
  const Cleaned cleaned = clean_record(edition, record);
  if (cleaned.reject) return;
  if (!text::is_valid_utf8(cleaned.paper.title) || !text::is_valid_utf8(cleaned.paper.abstract)) std::abort();
  if (cleaned.paper.title.empty() || cleaned.paper.id.empty()) std::abort();
}

void survive(const std::function<Listing()>& read) {
  try {
    const Listing listing = read();
    if (listing.records.empty() && listing.problems.empty() && listing.more.empty()) std::abort();
    for (const Record& record : listing.records) {
      if (record.id.empty() || record.title.empty()) std::abort();
    }
    for (std::size_t i = 0; i < listing.records.size() && i < 20; ++i) check(listing.records[i]);
  } catch (const LayoutChanged&) {
  }
}

void survive_paper(void (*read)(std::string_view, Record&), std::string_view page) {
  Record record;
  record.id = "1";
  record.title = "T";
  record.page_url = kBase;
  try {
    read(page, record);
    if (!record.title.empty()) check(record);
  } catch (const LayoutChanged&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 65536) return 0;
  const std::string page = html::decode_page({reinterpret_cast<const char*>(data), size}, "");
  try {
    const html::Document document(page);
    for (std::size_t i = 0; i < document.nodes().size(); ++i) {
      const html::Node& node = document.nodes()[i];
      if (node.end <= i || node.end > document.nodes().size() || (i > 0 && node.parent >= i)) std::abort();
    }
  } catch (const Error&) {
    return 0;  // more than its size explains
  }
  using Lister = Listing (*)(std::string_view, std::string_view);
  for (const Lister read :
       {&read_neurips_list,   &read_pmlr_volume,   &read_cvf_list,    &read_ojs_issue,
        &read_aaai_library,   &read_aaai_accepted, &read_ijcai_list,  &read_ijcai_old_list,
        &read_ijcai_accepted, &read_jmlr_volume,   &read_auai_table,  &read_auai_headings,
        &read_iclr_sites,     &read_iclr_wiki,     &read_ijcai_links, &read_icml_abstracts,
        &read_icml_2012,      &read_icml_list,     &read_paper_links, &read_aaai_tracks,
        &read_aaai_track}) {
    survive([&] { return read(page, kBase); });
  }
  survive([&] { return read_ecva_list(page, kBase, 2024); });
  survive([&] { return read_acl_page(page); });
  try {
    (void)read_ojs_archive(page, kBase, 40);
  } catch (const LayoutChanged&) {
  }
  for (const auto read : {&read_neurips_paper, &read_pmlr_paper, &read_cvf_paper, &read_ecva_paper,
                          &read_ojs_article, &read_aaai_library_paper, &read_aaai_paper, &read_ijcai_paper,
                          &read_ijcai_old_paper, &read_jmlr_paper, &read_icml_paper}) {
    survive_paper(read, page);
  }
  return 0;
}
