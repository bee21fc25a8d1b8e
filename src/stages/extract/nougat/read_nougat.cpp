#include "stages/extract/nougat/read_nougat.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/base/error.hpp"
#include "core/base/hash.hpp"
#include "core/text/names.hpp"
#include "core/text/normalise.hpp"
#include "stages/extract/check_document.hpp"
#include "stages/extract/mentions.hpp"
#include "stages/extract/nougat/digit_confusion.hpp"
#include "stages/extract/nougat/failure_modes.hpp"
#include "stages/extract/nougat/markup.hpp"
#include "stages/extract/nougat/nougat_references.hpp"
#include "stages/extract/reference_labels.hpp"

namespace mustcite::extract {
namespace {

using namespace nougat;

/// Marks whose letters were taken for digits are less certain than printed ones.
constexpr double kMendedConfidence = 0.85;

/// Builds text and sections from the blocks.
class BodyBuilder {
 public:
  explicit BodyBuilder(Document& document) : document_(document) {}

  void heading(const Block& block) {
    const std::string words = plain(block.text);
    if (words.empty()) return;
    begin_section(words, std::max(1, block.level == 6 ? 1 : block.level - 1));
  }
  /// The page head before the first heading and the list leave no section of their own.
  void paragraph(std::string_view markup) {
    const std::size_t before = out_.text.size();
    if (!out_.text.empty()) out_.text += "\n\n";
    const std::size_t begin = out_.text.size();
    append_plain(markup, out_);
    while (out_.text.size() > begin && out_.text.back() == ' ') out_.text.pop_back();
    if (out_.text.size() == begin) {
      out_.text.resize(before);
      return;
    }
    paragraphs_.push_back(out_.text.substr(begin));
  }
  /// Rows are paragraphs; they are not looked at for repetition.
  void table(std::string_view rows) {
    while (!rows.empty()) {
      const std::size_t end = std::min(rows.find('\n'), rows.size());
      const std::size_t known = paragraphs_.size();
      paragraph(rows.substr(0, end));
      paragraphs_.resize(known);
      rows.remove_prefix(std::min(rows.size(), end + 1));
    }
  }
  void finish() {
    document_.text = std::move(out_.text);
    if (document_.sections.empty()) {
      document_.sections.push_back({});
      levels_.push_back(1);
    }
    document_.sections.back().span.end = document_.text.size();
    set_section_kinds(document_.sections, levels_);
  }

  /// The text with its formulas blanked: brackets in them are no marks.
  [[nodiscard]] std::string body() const {
    std::string body = document_.text;
    for (const auto& formula : out_.formulas)
      std::fill(body.begin() + static_cast<std::ptrdiff_t>(std::min(formula.begin, body.size())),
                body.begin() + static_cast<std::ptrdiff_t>(std::min(formula.end, body.size())), ' ');
    return body;
  }
  [[nodiscard]] const std::vector<Span>& raised() const { return out_.raised; }
  [[nodiscard]] const std::vector<std::string>& paragraphs() const { return paragraphs_; }

 private:
  void begin_section(const std::string& words, int level) {
    if (document_.sections.empty() && !out_.text.empty()) {
      document_.sections.push_back({});
      levels_.push_back(1);
    }
    if (!out_.text.empty()) out_.text += "\n\n";
    const std::size_t begin = out_.text.size();
    if (!document_.sections.empty()) document_.sections.back().span.end = begin;
    document_.sections.push_back({words, {}, SectionKind::other, {begin, begin}});
    levels_.push_back(level);
    out_.text += words;
  }

  Document& document_;
  PlainText out_;
  std::vector<int> levels_;
  std::vector<std::string> paragraphs_;
};

/// "Smith\({}^{1}\), Doe" without marks; lines of addresses and affiliations are no names.
void add_authors(const std::string& markup, std::vector<std::string>& authors) {
  std::string line;
  std::size_t from = 0;
  for (std::size_t at = markup.find("\\("); at != std::string::npos; at = markup.find("\\(", from)) {
    line += markup.substr(from, at - from) + " ";
    const std::size_t close = markup.find("\\)", at);
    from = close == std::string::npos ? markup.size() : close + 2;
  }
  line = plain(line + markup.substr(from));
  const std::string folded = text::fold(line);
  for (const char* word :
       {"@", "universit", "institut", "department", "research", "school", "college", "labs", "http",
        "equal contribution", "work done", "footnote", "abstract", "google", "inc."}) {
    if (folded.find(word) != std::string::npos) return;
  }
  if (line.size() > 400) return;
  for (auto& name : text::split_authors(line)) {
    const auto spaces = std::count(name.begin(), name.end(), ' ');
    if (spaces >= 1 && spaces <= 4 && name.size() <= 60) authors.push_back(std::move(name));
  }
}

bool is_abstract(const Block& block) {
  return block.kind == Block::Kind::heading && text::fold(plain(block.text)).starts_with("abstract");
}

/// Title and authors; returns the first block of the body.
std::size_t read_front(const std::vector<Block>& blocks, Document& document) {
  std::size_t at = 0;
  while (at < blocks.size() && blocks[at].kind != Block::Kind::heading) ++at;
  // A later page of a paper begins with text.
  if (at == blocks.size() || blocks[at].level != 1 || at > 3) return 0;
  document.title = text::clean_title(plain(blocks[at].text));
  std::size_t end = at + 1;
  while (end < blocks.size() && blocks[end].kind != Block::Kind::heading) ++end;
  if (end == blocks.size()) return at + 1;
  // Without an abstract's heading the abstract is the first long paragraph.
  std::size_t body = end;
  for (std::size_t i = at + 1; i < end; ++i) {
    if (!is_abstract(blocks[end]) && blocks[i].kind == Block::Kind::paragraph &&
        blocks[i].text.size() > 400) {
      body = i;
      break;
    }
    if (blocks[i].kind == Block::Kind::paragraph) add_authors(blocks[i].text, document.authors);
  }
  return body;
}

std::string abstract_of(const Document& document) {
  for (const auto& section : document.sections) {
    if (section.kind != SectionKind::abstract) continue;
    std::string_view text =
        std::string_view(document.text).substr(section.span.begin, section.span.end - section.span.begin);
    text.remove_prefix(std::min(text.size(), section.heading.size()));
    return text::clean_abstract(text.substr(0, 6000));
  }
  return {};
}

void note_list(Document& document, const List& list) {
  if (!list.missing_labels.empty()) {
    std::string numbers;
    for (std::size_t i = 0; i < std::min<std::size_t>(8, list.missing_labels.size()); ++i)
      numbers += (i == 0 ? "" : ", ") + std::to_string(list.missing_labels[i]);
    const bool many = list.missing_labels.size() * 5 > document.references.size();
    document.problems.push_back(
        {many ? ProblemKind::no_references : ProblemKind::other,
         fmt::format("the list lacks {} numbers: {}", list.missing_labels.size(), numbers)});
  }
  if (list.inferred_labels > 0)
    document.problems.push_back(
        {ProblemKind::other,
         fmt::format("{} labels were lost and follow from their neighbours", list.inferred_labels), true});
  if (list.mended_labels > 0)
    document.problems.push_back(
        {ProblemKind::digit_confusion,
         fmt::format("{} labels of the list had letters for digits", list.mended_labels), true});
}

/// The marks, found in the text without formulas and with letters for digits put right.
void find_marks(Document& document, std::string body, const std::vector<Span>& raised,
                double min_confidence) {
  std::vector<Confused> confused;
  if (document.style == ReferenceStyle::numeric) confused = mend_digits(body, document.references);
  // The rules read the mended text; what is printed is kept.
  std::swap(document.text, body);
  TextMentions found = find_mentions(document, raised);
  std::swap(document.text, body);
  std::size_t mended = 0;
  std::string example;
  const Confused* lost = nullptr;
  std::size_t unread = 0;
  for (const auto& bracket : confused) {
    if (bracket.mended.empty()) {
      ++unread;
      if (lost == nullptr) lost = &bracket;
      continue;
    }
    ++mended;
    if (example.empty()) example = fmt::format("[{}] to [{}]", bracket.printed, bracket.mended);
    auto inside = std::lower_bound(
        found.mentions.begin(), found.mentions.end(), bracket.span.begin,
        [](const Mention& mention, std::size_t begin) { return mention.span.begin < begin; });
    for (; inside != found.mentions.end() && inside->span.end <= bracket.span.end; ++inside)
      inside->confidence = std::min(inside->confidence, kMendedConfidence);
  }
  if (mended > 0)
    document.problems.push_back(
        {ProblemKind::digit_confusion, fmt::format("{} marks mended, {}", mended, example), true});
  if (unread > 0)
    document.problems.push_back({ProblemKind::digit_confusion,
                                 fmt::format("{} marks have letters for digits and no single reading, the "
                                             "first one is [{}]",
                                             unread, lost->printed)});
  document.mentions = std::move(found.mentions);
  std::erase_if(document.mentions,
                [&](const Mention& mention) { return mention.confidence < min_confidence; });
  note_links(document, found.unlinked);
}

}  // namespace

Document read_nougat(std::string_view markup, std::string_view name, const Document* native,
                     const Options& options) {
  if (markup.size() > kMostNougatBytes)
    fail(ErrorCode::exhausted, "reading {}: {} bytes are more than the {} that a Nougat file may have", name,
         markup.size(), kMostNougatBytes);
  Document document;
  document.provenance.reader = Reader::nougat;
  document.provenance.source = name;
  document.provenance.sha256 = sha256_hex(markup);
  document.provenance.tool = "nougat";
  document.provenance.segmentation = "markup";
  const auto blocks = read_blocks(text::nfc(text::repair_utf8(markup)));
  const Extent extent = find_list(blocks);
  List list = read_list(std::span(blocks).subspan(extent.begin, extent.end - extent.begin));
  document.references = std::move(list.entries);
  if (options.labeller != nullptr) {
    for (auto& entry : document.references) options.labeller->read_fields(entry);
  }
  document.style = list.style;

  BodyBuilder builder(document);
  std::size_t lost_pages = 0;
  std::size_t cut = 0;
  const std::size_t from = read_front(blocks, document);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const Block& block = blocks[i];
    lost_pages += block.kind == Block::Kind::lost_page ? 1 : 0;
    cut += block.kind == Block::Kind::repetition ? 1 : 0;
    const bool in_list = extent.begin != extent.end && i >= extent.heading && i < extent.end;
    if (i < from || in_list) continue;
    if (block.kind == Block::Kind::heading) builder.heading(block);
    if (block.kind == Block::Kind::paragraph || block.kind == Block::Kind::item ||
        block.kind == Block::Kind::formula)
      builder.paragraph(block.text);
    if (block.kind == Block::Kind::table) builder.table(block.text);
  }
  builder.finish();
  document.abstract = abstract_of(document);
  if (lost_pages > 0)
    document.problems.push_back(
        {ProblemKind::missing_pages, fmt::format("Nougat gave up {} pages", lost_pages)});
  if (cut > 0)
    document.problems.push_back({ProblemKind::repetition, fmt::format("Nougat cut {} repetitions", cut)});
  const std::string body = builder.body();
  if (document.references.empty()) {
    document.problems.push_back({ProblemKind::no_references, "the output holds no reference list"});
  } else {
    note_list(document, list);
    find_marks(document, body, builder.raised(), options.min_confidence);
    note_mismatch(document, body, list.tag_share);
  }
  note_repetition(document, builder.paragraphs());
  if (native != nullptr) compare_with_native(document, *native);
  set_sentences(document);
  return document;
}

}  // namespace mustcite::extract
