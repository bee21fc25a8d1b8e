// ojs.aaai.org over OAI-PMH: a hundred records a request, with abstracts, but for every year at once.
#include <fmt/format.h>

#include <pugixml.hpp>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "core/net/url.hpp"
#include "core/text/normalise.hpp"
#include "stages/collect/venues/link_parts.hpp"
#include "stages/collect/venues/listing_parts.hpp"
#include "stages/collect/venues/ojs_article.hpp"
#include "stages/collect/venues/readers.hpp"
#include "stages/collect/venues/sites.hpp"

namespace mustcite::collect {
namespace {

constexpr const char* kOai = "https://ojs.aaai.org/index.php/AAAI/oai?verb=";
constexpr const char* kPrefix = "&metadataPrefix=oai_dc";
constexpr int kMostPages = 2000;

struct Answer {
  pugi::xml_document document;
  pugi::xml_node list;  ///< of the verb; empty when nothing matches
};

/// Throws LayoutChanged when it is no answer to the verb.
void parse(std::string_view text, const char* verb, Answer& answer) {
  std::string repaired;
  if (!text::is_valid_utf8(text)) text = repaired = text::repair_utf8(text);
  const auto result =
      answer.document.load_buffer(text.data(), text.size(), pugi::parse_default, pugi::encoding_utf8);
  const pugi::xml_node root = answer.document.child("OAI-PMH");
  if (!result || !root) throw LayoutChanged("no OAI-PMH answer");
  answer.list = root.child(verb);
  if (answer.list) return;
  const pugi::xml_node error = root.child("error");
  if (std::string_view(error.attribute("code").value()) == "noRecordsMatch") return;
  throw LayoutChanged(
      fmt::format("OAI-PMH says: {} {}", error.attribute("code").value(), error.child_value()));
}

/// One record, and the volume it says it stands in.
std::pair<Record, int> read_record(const pugi::xml_node& node) {
  const pugi::xml_node header = node.child("header");
  const pugi::xml_node dc = node.child("metadata").child("oai_dc:dc");
  Record record;
  record.id = last_segment(trimmed(header.child_value("identifier")));
  record.track = trimmed(header.child_value("setSpec"));
  record.title = trimmed(dc.child_value("dc:title"));
  record.abstract = trimmed(dc.child_value("dc:description"));
  int volume = 0;
  for (const pugi::xml_node& creator : dc.children("dc:creator"))
    record.authors.push_back(trimmed(creator.child_value()));
  for (const pugi::xml_node& source : dc.children("dc:source")) {
    if (volume == 0) volume = ojs_volume_in(source.child_value());
  }
  for (const pugi::xml_node& value : dc.children("dc:identifier")) {
    const std::string is = trimmed(value.child_value());
    if (is.starts_with("http")) record.page_url = is;
    if (is.starts_with("10.")) record.doi = is;
  }
  for (const pugi::xml_node& relation : dc.children("dc:relation")) {
    const std::string file = ojs_download_of(trimmed(relation.child_value()));
    if (record.pdf_url.empty() && file.find("/article/download/") != std::string::npos) record.pdf_url = file;
  }
  return {std::move(record), volume};
}

/// Walks the archive, and around records that it cannot give.
class Harvest {
 public:
  Harvest(Pages& pages, int volume) : pages_(pages), volume_(volume) {}

  Listing run() {
    read_sets();
    if (const auto problem = records("")) {
      // One broken record costs every answer that holds it, and the rest of the walk with it. What lies
      // behind it is found set by set, and the set of the broken one record by record.
      listing_.problems.push_back({"the whole archive", *problem + "; harvested set by set instead"});
      if (sets_.empty()) throw PageUnavailable(net::PageEnd::unavailable, kOai, *problem);
      for (const auto& [set, name] : sets_) {
        // The first set is the archive itself; sections are "AAAI:ML".
        if (set.find(':') == std::string::npos) continue;
        if (const auto broken = records("&set=" + net::escaped(set))) one_by_one(set, *broken);
      }
    }
    for (Record& record : listing_.records) {
      const auto name = names_.find(record.track);
      if (name != names_.end()) record.track = name->second;
    }
    return std::move(listing_);
  }

 private:
  /// Calls `read` with each page of a walk; the problem that ended it early, if one did.
  template <typename Read>
  std::optional<std::string> walk(const std::string& verb, const std::string& first, const Read& read) {
    std::string url = kOai + verb + first;
    std::set<std::string> tokens;
    for (int page = 0; page < kMostPages; ++page) {
      // Tokens die after a day, so only a page that is read today leads on; kept pages are for replay.
      std::string token;
      try {
        token = read(pages_.list(url, net::Expect::xml));
      } catch (const PageUnavailable& problem) {
        if (problem.end() != net::PageEnd::unavailable) throw;
        return problem.what();
      }
      if (token.empty()) return std::nullopt;
      if (!tokens.insert(token).second) throw LayoutChanged("OAI-PMH hands out the same token again");
      url = kOai + verb + "&resumptionToken=" + token;
    }
    return "the walk does not end";
  }

  /// Records carry the short name of their set; people know the long one.
  void read_sets() {
    const auto problem = walk("ListSets", "", [&](const std::string& text) {
      OaiNames page = read_oai_sets(text);
      for (auto& one : page.names) {
        names_.emplace(one.first, one.second);
        sets_.push_back(std::move(one));
      }
      return page.token;
    });
    if (problem) listing_.problems.push_back({"the list of sets", *problem});
  }

  std::optional<std::string> records(const std::string& set) {
    return walk("ListRecords", kPrefix + set, [&](const std::string& text) {
      OaiPage page = read_oai_records(text);
      std::string token = page.token;
      take_page(std::move(page));
      return token;
    });
  }

  void one_by_one(const std::string& set, const std::string& broken) {
    listing_.problems.push_back({set, broken + "; asked for record by record instead"});
    std::vector<std::string> identifiers;
    const auto problem =
        walk("ListIdentifiers", kPrefix + ("&set=" + net::escaped(set)), [&](const std::string& text) {
          OaiNames page = read_oai_identifiers(text);
          for (auto& [identifier, of_set] : page.names) identifiers.push_back(std::move(identifier));
          return page.token;
        });
    if (problem) listing_.problems.push_back({set, "its identifiers cannot be listed: " + *problem});
    for (const std::string& identifier : identifiers) {
      if (seen_.contains(last_segment(identifier))) continue;
      const std::string url =
          fmt::format("{}GetRecord{}&identifier={}", kOai, kPrefix, net::escaped(identifier));
      try {
        take_page(read_oai_records(pages_.fixed(url, net::Expect::xml)));
      } catch (const PageUnavailable& lost) {
        listing_.problems.push_back({identifier, "the site cannot give this record: " + lost.reason()});
      }
    }
  }

  void take_page(OaiPage page) {
    for (std::size_t i = 0; i < page.records.size(); ++i) {
      const bool fresh = seen_.insert(page.records[i].id).second;
      if (fresh && page.volumes[i] == volume_) listing_.records.push_back(std::move(page.records[i]));
    }
    for (Problem& problem : page.problems) {
      if (seen_.insert(last_segment(problem.item)).second) listing_.problems.push_back(std::move(problem));
    }
  }

  Pages& pages_;
  int volume_;
  Listing listing_;
  std::vector<std::pair<std::string, std::string>> sets_;
  std::unordered_map<std::string, std::string> names_;
  std::unordered_set<std::string> seen_;  ///< articles, of whatever volume
};

class Oai final : public Site {
 public:
  explicit Oai(int year) : volume_(year - 1986) {}

  std::vector<std::string> hosts() const override { return {"ojs.aaai.org"}; }
  std::vector<std::string> starts() const override { return {kOai + std::string("ListRecords") + kPrefix}; }
  Listing list(Pages& pages) override {
    Listing listing = Harvest(pages, volume_).run();
    if (listing.records.empty())
      throw LayoutChanged(fmt::format("no record says that it stands in Vol. {}", volume_));
    return listing;
  }
  bool has_details(const Record& record) const override {
    return record.abstract.empty() && !record.page_url.empty();
  }
  void read_details(std::string_view page, Record& record) const override { read_ojs_article(page, record); }

 private:
  int volume_;
};

}  // namespace

OaiPage read_oai_records(std::string_view text) {
  Answer answer;
  const bool single = text.find("<GetRecord") != std::string_view::npos;
  parse(text, single ? "GetRecord" : "ListRecords", answer);
  OaiPage page;
  for (const pugi::xml_node& node : answer.list.children("record")) {
    const pugi::xml_node header = node.child("header");
    const std::string identifier = trimmed(header.child_value("identifier"));
    if (std::string_view(header.attribute("status").value()) == "deleted") {
      page.problems.push_back({identifier, "deleted by the site"});
      continue;
    }
    auto [record, volume] = read_record(node);
    if (record.id.empty() || record.title.empty()) {
      page.problems.push_back({identifier, "a record without a title"});
    } else if (is_ojs_notice(record.title)) {
      page.problems.push_back({identifier, "a notice, not a paper: " + record.title});
    } else {
      page.records.push_back(std::move(record));
      page.volumes.push_back(volume);
    }
  }
  page.token = trimmed(answer.list.child_value("resumptionToken"));
  return page;
}

OaiNames read_oai_identifiers(std::string_view text) {
  Answer answer;
  parse(text, "ListIdentifiers", answer);
  OaiNames page;
  for (const pugi::xml_node& header : answer.list.children("header")) {
    if (std::string_view(header.attribute("status").value()) == "deleted") continue;
    page.names.emplace_back(trimmed(header.child_value("identifier")),
                            trimmed(header.child_value("setSpec")));
  }
  page.token = trimmed(answer.list.child_value("resumptionToken"));
  return page;
}

OaiNames read_oai_sets(std::string_view text) {
  Answer answer;
  parse(text, "ListSets", answer);
  OaiNames page;
  for (const pugi::xml_node& set : answer.list.children("set"))
    page.names.emplace_back(trimmed(set.child_value("setSpec")), trimmed(set.child_value("setName")));
  page.token = trimmed(answer.list.child_value("resumptionToken"));
  return page;
}

std::unique_ptr<Site> oai_site(const Edition& edition) {
  return std::make_unique<Oai>(edition.year);
}

}  // namespace mustcite::collect
