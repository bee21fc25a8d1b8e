#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <pugixml.hpp>

#include "core/base/error.hpp"
#include "core/text/acl_anthology.hpp"
#include "core/text/normalise.hpp"
#include "stages/import/formats.hpp"

namespace mustcite::importing {
namespace {

/// Counts line ends up to an offset; offsets come in ascending order.
class LineCounter {
 public:
  explicit LineCounter(std::string_view text) : text_(text) {}
  std::uint64_t at(std::ptrdiff_t offset) {
    const std::size_t end =
        std::min(text_.size(), static_cast<std::size_t>(std::max<std::ptrdiff_t>(offset, 0)));
    for (; position_ < end; ++position_) line_ += text_[position_] == '\n' ? 1 : 0;
    return line_;
  }

 private:
  std::string_view text_;
  std::size_t position_ = 0;
  std::uint64_t line_ = 1;
};

std::string trimmed(std::string text) {
  const auto blank = [](char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; };
  while (!text.empty() && blank(text.back())) text.pop_back();
  text.erase(text.begin(), std::find_if_not(text.begin(), text.end(), blank));
  return text;
}

struct Volume {
  std::string collection;
  std::string id;
  std::string venue;
  std::string track;
  Date date;
};

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

/// Findings belong to the conference that their volume names; of a joint venue the first one counts. "ws"
/// only marks a workshop.
std::string venue_of(const pugi::xml_node& meta, const std::string& volume_id) {
  std::string venue;
  for (const pugi::xml_node& node : meta.children("venue")) {
    const std::string name = text::to_lower(trimmed(text::acl_text(node)));
    if (name == "findings") return volume_id;
    if (venue.empty() || venue == "ws") venue = name;
  }
  return venue;
}

int year_of(const std::string& text) {
  const std::optional<Date> date = parse_date(text.substr(0, 4));
  return date ? date->year : 0;
}

Volume volume_of(const std::string& collection, const pugi::xml_node& node) {
  const pugi::xml_node meta = node.child("meta");
  Volume volume;
  volume.collection = collection;
  volume.id = node.attribute("id").value();
  volume.venue = venue_of(meta, volume.id);
  volume.track = text::acl_track(volume.id, text::to_lower(text::acl_text(meta.child("booktitle"))));
  volume.date.year = year_of(trimmed(text::acl_text(meta.child("year"))));
  if (volume.date.year != 0) volume.date.month = text::acl_month(trimmed(text::acl_text(meta.child("month"))));
  return volume;
}

/// The Anthology's own id: as the <url> says, else composed as the Anthology composes it.
std::string paper_id(const Volume& volume, const pugi::xml_node& paper) {
  const std::string url = trimmed(text::acl_text(paper.child("url")));
  if (!url.empty() && !contains(url, "/")) return url;
  return text::acl_id(volume.collection, volume.id, paper.attribute("id").value());
}

std::vector<std::string> authors_of(const pugi::xml_node& paper) {
  std::vector<std::string> authors;
  for (const pugi::xml_node& author : paper.children("author")) {
    const std::string first = trimmed(text::acl_text(author.child("first")));
    const std::string last = trimmed(text::acl_text(author.child("last")));
    authors.push_back(first.empty() ? last : first + " " + last);
  }
  return authors;
}

/// Papers that were withdrawn stay in the files with a mark.
std::string withdrawn(const pugi::xml_node& paper) {
  for (const char* mark : {"retracted", "removed"}) {
    if (paper.child(mark)) return fmt::format("the Anthology marks the paper as {}", mark);
  }
  return {};
}

void put_paper(const Volume& volume, const pugi::xml_node& node, LineCounter& lines, Output& output) {
  const std::uint64_t line = lines.at(node.offset_debug());
  const std::string id = paper_id(volume, node);
  if (const std::string reason = withdrawn(node); !reason.empty()) {
    output.put(Item{Refused{id, reason, false}, line, {}, false, false});
    return;
  }
  Paper paper;
  paper.id = PaperId(id);
  paper.title = text::acl_text(node.child("title"));
  paper.abstract = text::acl_text(node.child("abstract"));
  paper.authors = authors_of(node);
  paper.venue = volume.venue;
  paper.track = volume.track;
  paper.date = volume.date;
  paper.doi = trimmed(text::acl_text(node.child("doi")));
  paper.url = "https://aclanthology.org/" + id;
  output.put(Item{std::move(paper), line, {}, false, false});
}

void put_volume(const Volume& volume, const pugi::xml_node& node, LineCounter& lines, Output& output) {
  for (const pugi::xml_node& child : node.children()) {
    const std::string_view name = child.name();
    if (name == "frontmatter") {
      const std::string id = fmt::format("{}-{}", volume.collection, volume.id);
      output.put(Item{Refused{id, "front matter of a volume, not a paper", false},
                      lines.at(child.offset_debug()),
                      {},
                      false,
                      false});
    } else if (name == "paper") {
      put_paper(volume, child, lines, output);
    }
  }
}

}  // namespace

void parse_acl_xml(std::string_view text, Output& output) {
  std::string repaired;
  const bool broken = !text::is_valid_utf8(text);
  if (broken) {
    repaired = text::repair_utf8(text);
    text = repaired;
  }
  pugi::xml_document document;
  const unsigned flags = pugi::parse_default | pugi::parse_ws_pcdata;
  const pugi::xml_parse_result result =
      document.load_buffer(text.data(), text.size(), flags, pugi::encoding_utf8);
  LineCounter lines(text);
  for (const pugi::xml_node& collection : document.children("collection")) {
    const std::string id = collection.attribute("id").value();
    for (const pugi::xml_node& volume : collection.children("volume"))
      put_volume(volume_of(id, volume), volume, lines, output);
  }
  // What stands before a broken place was read; the break itself is one refused item.
  if (!result || !document.child("collection")) {
    const std::string reason = result ? "no <collection> of the ACL Anthology" : result.description();
    const std::uint64_t line = LineCounter(text).at(result.offset);
    output.put(Item{Refused{{}, "broken XML: " + reason, false}, line, {}, broken, false});
  }
}

void read_acl_xml(const std::filesystem::path& file, Output& output) {
  const std::string text = read_whole(file);
  parse_acl_xml(text, output);
  output.consumed(text.size());
}

}  // namespace mustcite::importing
