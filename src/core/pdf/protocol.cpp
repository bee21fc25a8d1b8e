#include "core/pdf/protocol.hpp"

#include "core/pdf/bytes.hpp"

namespace mustcite::pdf {
namespace {

constexpr std::uint32_t kMagic = 0x4450434DU;  // "MCPD"
constexpr std::size_t kMaxText = std::size_t{1} << 16;

bool valid_utf8(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const auto lead = static_cast<unsigned char>(text[at]);
    std::size_t more = 0;
    std::uint32_t code = lead;
    if (lead >= 0x80) {
      if (lead < 0xC2 || lead > 0xF4) return false;
      more = lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
      code = lead & (0x3FU >> more);
    }
    if (at + more >= text.size()) return false;
    for (std::size_t i = 1; i <= more; ++i) {
      const auto next = static_cast<unsigned char>(text[at + i]);
      if ((next & 0xC0U) != 0x80U) return false;
      code = (code << 6U) | (next & 0x3FU);
    }
    const bool overlong = (more == 2 && code < 0x800) || (more == 3 && code < 0x10000);
    if (overlong || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return false;
    at += more + 1;
  }
  return true;
}

std::string take_text(ByteReader& reader) {
  const std::string_view text = reader.text(kMaxText);
  if (!valid_utf8(text)) ByteReader::broken("text that is no UTF-8");
  return std::string(text);
}

std::string_view clipped(std::string_view text) {
  if (text.size() <= kMaxText) return text;
  std::size_t end = kMaxText;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end);
}

void put(ByteWriter& out, const Word& word) {
  out.text(clipped(word.text));
  for (const float value : {word.x0, word.y0, word.x1, word.y1, word.size}) out.number(value);
  out.number(word.font);
  out.number(static_cast<std::uint8_t>((word.glued ? 1 : 0) | (word.rotated ? 2 : 0)));
}

Word take_word(ByteReader& in, std::size_t fonts) {
  Word word;
  word.text = take_text(in);
  for (float* value : {&word.x0, &word.y0, &word.x1, &word.y1, &word.size}) *value = in.coordinate();
  word.font = in.number<std::uint16_t>();
  if (word.font >= fonts) ByteReader::broken("a font that was not announced");
  const auto flags = in.number<std::uint8_t>();
  if (flags > 3) ByteReader::broken("unknown flags");
  word.glued = (flags & 1U) != 0;
  word.rotated = (flags & 2U) != 0;
  return word;
}

void put(ByteWriter& out, const Link& link) {
  for (const float value : {link.x0, link.y0, link.x1, link.y1}) out.number(value);
  out.text(clipped(link.destination));
  out.text(clipped(link.uri));
  out.number(link.page);
  out.number(link.x);
  out.number(link.y);
}

Link take_link(ByteReader& in) {
  Link link;
  for (float* value : {&link.x0, &link.y0, &link.x1, &link.y1}) *value = in.coordinate();
  link.destination = take_text(in);
  link.uri = take_text(in);
  link.page = in.number<std::uint32_t>();
  link.x = in.coordinate();
  link.y = in.coordinate();
  return link;
}

Page take_page(ByteReader& in, std::size_t fonts) {
  Page page;
  page.width = in.coordinate();
  page.height = in.coordinate();
  page.words.resize(in.count(27, 2'000'000));
  for (auto& word : page.words) word = take_word(in, fonts);
  page.links.resize(in.count(36, 1'000'000));
  for (auto& link : page.links) link = take_link(in);
  return page;
}

Destination take_destination(ByteReader& in) {
  Destination destination;
  destination.name = take_text(in);
  destination.page = in.number<std::uint32_t>();
  destination.x = in.coordinate();
  destination.y = in.coordinate();
  destination.has_x = in.number<std::uint8_t>() != 0;
  return destination;
}

OutlineItem take_outline_item(ByteReader& in) {
  OutlineItem item;
  item.level = in.number<std::uint32_t>();
  item.title = take_text(in);
  item.destination = take_text(in);
  item.page = in.number<std::uint32_t>();
  item.y = in.coordinate();
  return item;
}

}  // namespace

std::string encode_header(const FrameHeader& header) {
  ByteWriter out;
  out.number(kMagic);
  out.number(kProtocolVersion);
  out.number(static_cast<std::uint16_t>(header.kind));
  out.number(header.id);
  out.number(header.payload_bytes);
  return out.take();
}

FrameHeader decode_header(std::string_view bytes, std::uint64_t max_payload) {
  ByteReader in(bytes);
  if (in.number<std::uint32_t>() != kMagic) ByteReader::broken("no frame");
  if (in.number<std::uint16_t>() != kProtocolVersion) ByteReader::broken("another version of the protocol");
  const auto kind = in.number<std::uint16_t>();
  if (kind < 1 || kind > 3) ByteReader::broken("an unknown kind of frame");
  FrameHeader header;
  header.kind = static_cast<FrameKind>(kind);
  header.id = in.number<std::uint32_t>();
  header.payload_bytes = in.number<std::uint64_t>();
  if (header.payload_bytes > max_payload) ByteReader::broken("a payload above the bound");
  return header;
}

std::string encode_limits(const Limits& limits) {
  ByteWriter out;
  out.number(limits.max_pages);
  out.number(limits.max_words);
  out.number(limits.cpu_seconds);
  return out.take();
}

Limits decode_limits(std::string_view bytes) {
  ByteReader in(bytes);
  Limits limits;
  limits.max_pages = in.number<std::uint32_t>();
  limits.max_words = in.number<std::uint32_t>();
  limits.cpu_seconds = in.number<std::uint32_t>();
  return limits;
}

std::string encode_content(const Content& content) {
  ByteWriter out;
  for (const auto* text : {&content.tool, &content.title, &content.author}) out.text(clipped(*text));
  out.number(static_cast<std::uint32_t>(content.fonts.size()));
  for (const auto& font : content.fonts) out.text(clipped(font));
  out.number(static_cast<std::uint32_t>(content.pages.size()));
  for (const auto& page : content.pages) {
    out.number(page.width);
    out.number(page.height);
    out.number(static_cast<std::uint32_t>(page.words.size()));
    for (const auto& word : page.words) put(out, word);
    out.number(static_cast<std::uint32_t>(page.links.size()));
    for (const auto& link : page.links) put(out, link);
  }
  out.number(static_cast<std::uint32_t>(content.destinations.size()));
  for (const auto& destination : content.destinations) {
    out.text(clipped(destination.name));
    out.number(destination.page);
    out.number(destination.x);
    out.number(destination.y);
    out.number(static_cast<std::uint8_t>(destination.has_x));
  }
  out.number(static_cast<std::uint32_t>(content.outline.size()));
  for (const auto& item : content.outline) {
    out.number(item.level);
    out.text(clipped(item.title));
    out.text(clipped(item.destination));
    out.number(item.page);
    out.number(item.y);
  }
  return out.take();
}

Content decode_content(std::string_view payload) {
  ByteReader in(payload);
  Content content;
  for (auto* text : {&content.tool, &content.title, &content.author}) *text = take_text(in);
  content.fonts.resize(in.count(4, 65'535));
  for (auto& font : content.fonts) font = take_text(in);
  content.pages.resize(in.count(16, 100'000));
  for (auto& page : content.pages) page = take_page(in, content.fonts.size());
  content.destinations.resize(in.count(17, 1'000'000));
  for (auto& destination : content.destinations) destination = take_destination(in);
  content.outline.resize(in.count(20, 100'000));
  for (auto& item : content.outline) item = take_outline_item(in);
  in.end();
  return content;
}

std::string encode_refusal(const RefusedAnswer& answer) {
  ByteWriter out;
  out.number(static_cast<std::uint8_t>(answer.refusal));
  out.text(clipped(answer.message));
  return out.take();
}

RefusedAnswer decode_refusal(std::string_view payload) {
  ByteReader in(payload);
  const auto refusal = in.number<std::uint8_t>();
  if (refusal < 1 || refusal > static_cast<std::uint8_t>(Refusal::failed))
    ByteReader::broken("an unknown refusal");
  RefusedAnswer answer;
  answer.refusal = static_cast<Refusal>(refusal);
  answer.message = take_text(in);
  in.end();
  return answer;
}

}  // namespace mustcite::pdf
