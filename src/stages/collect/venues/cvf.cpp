// openaccess.thecvf.com: CVPR and ICCV.
#include <fmt/format.h>

#include "stages/collect/html/citation_metas.hpp"
#include "stages/collect/html/document.hpp"
#include "stages/collect/venues/link_parts.hpp"
#include "stages/collect/venues/listing_parts.hpp"
#include "stages/collect/venues/readers.hpp"
#include "stages/collect/venues/sites.hpp"

namespace mustcite::collect {
namespace {

using html::Element;

/// "Xiao_Test_Title_CVPR_2026_paper.html" → "Xiao_Test_Title_CVPR_2026".
std::string id_of(std::string_view url) {
  std::string name = stem(url);
  if (name.ends_with("_paper")) name.resize(name.size() - 6);
  return name;
}

/// The description list says: title, then authors, then links, up to the next title.
Record read_entry(const Element& title, std::string_view base) {
  Record record;
  const Element link = title.first("a");
  record.title = link ? link.text() : title.text();
  record.page_url = link_of(link, base);
  record.id = id_of(record.page_url);
  for (Element next = title.next_sibling(); next && next.tag() == "dd"; next = next.next_sibling()) {
    for (const Element& author : next.all("form.authsearch input[name=query_author]"))
      record.authors.emplace_back(author.attribute("value"));
    for (const Element& anchor : next.all("a")) {
      const std::string text = lowered(anchor.text());
      if (record.pdf_url.empty() && (text == "pdf" || text == "[pdf]"))
        record.pdf_url = link_of(anchor, base);
      if (record.arxiv_id.empty() && (text == "arxiv" || text == "[arxiv]")) {
        const std::string url = link_of(anchor, base);
        if (url.find("/abs/") != std::string::npos) record.arxiv_id = last_segment(url);
      }
    }
    // Years without the search forms keep the authors in the BibTeX entry alone.
    if (record.authors.empty()) {
      const std::string bib = next.first("div.bibref").text();
      const std::size_t begin = bib.find("author = {");
      const std::size_t end = begin == std::string::npos ? begin : bib.find('}', begin);
      if (end != std::string::npos) record.authors = {bib.substr(begin + 10, end - begin - 10)};
    }
  }
  return record;
}

class Cvf final : public Site {
 public:
  explicit Cvf(const std::string& key) : book_(key.substr(0, key.find(' '))) {
    for (std::size_t at = key.find(' '); at != std::string::npos; at = key.find(' ', at + 1)) {
      days_.push_back(key.substr(at + 1, key.find(' ', at + 1) - at - 1));
    }
    if (days_.empty()) days_.emplace_back("all");
  }

  std::vector<std::string> hosts() const override { return {"openaccess.thecvf.com"}; }
  std::vector<std::string> starts() const override {
    std::vector<std::string> urls;
    for (const std::string& day : days_)
      urls.push_back("https://openaccess.thecvf.com/" + book_ + "?day=" + day);
    return urls;
  }

  Listing list(Pages& pages) override {
    Listing whole;
    std::vector<std::string> urls = starts();
    for (std::size_t i = 0; i < urls.size(); ++i) {
      Listing part = read_cvf_list(pages.list(urls[i]), urls[i]);
      // A menu of days instead of papers.
      if (part.records.empty() && i == 0) urls.insert(urls.end(), part.more.begin(), part.more.end());
      append(std::move(part), whole);
    }
    drop_repeats(whole);
    if (whole.records.empty()) throw LayoutChanged("neither papers nor days are listed");
    return whole;
  }

  bool has_details(const Record& record) const override { return !record.page_url.empty(); }
  void read_details(std::string_view page, Record& record) const override { read_cvf_paper(page, record); }

 private:
  std::string book_;
  std::vector<std::string> days_;
};

}  // namespace

Listing read_cvf_list(std::string_view page, std::string_view base) {
  const html::Document document(page);
  const Element root(document);
  Listing listing;
  for (const Element& title : root.all("dt.ptitle")) {
    take(read_entry(title, base), listing);
  }
  for (const Element& day : root.all("dd a[href*=day=]")) {
    const std::string url = link_of(day, base);
    if (!url.empty() && !url.ends_with("day=all")) listing.more.push_back(url);
  }
  if (listing.records.empty() && listing.problems.empty() && listing.more.empty())
    throw LayoutChanged("no dt.ptitle and no list of days");
  return listing;
}

void read_cvf_paper(std::string_view page, Record& record) {
  const html::Document document(page);
  const Element root(document);
  const html::CitationMetas metas = html::citation_metas(root);
  const Element abstract = root.first("#abstract");
  if (metas.title.empty() && !abstract && !root.first("#papertitle"))
    throw LayoutChanged("neither citation_title nor #papertitle nor #abstract");
  if (record.authors.empty()) record.authors = {root.first("#authors i").text()};
  take_metas(metas, record);
  record.abstract = abstract.text();
}

std::unique_ptr<Site> cvf_site(const Place& place) {
  return std::make_unique<Cvf>(place.key);
}

}  // namespace mustcite::collect
