#include "stages/extract/reference_labels.hpp"

#include <algorithm>
#include <array>

#include "core/base/error.hpp"
#include "core/io/file.hpp"
#include "core/text/normalise.hpp"
#include "core/text/printed_years.hpp"
#include "stages/extract/reference_features.hpp"
#include "stages/extract/reference_names.hpp"

namespace mustcite::extract {
namespace {

constexpr std::size_t kMaxModelBytes = std::size_t{64} << 20;
constexpr std::size_t kMaxRawBytes = 8000;
constexpr std::array<const char*, kFieldLabels> kNames{"other",     "author",   "editor", "title",  "book",
                                                       "journal",   "series",   "date",   "volume", "pages",
                                                       "publisher", "location", "id",     "note"};

/// Label numbers: 0 other, then first and inner tokens of each field.
std::uint8_t first_of(FieldLabel label) {
  return label == FieldLabel::other ? 0 : static_cast<std::uint8_t>(2 * static_cast<unsigned>(label) - 1);
}
std::uint8_t inner_of(FieldLabel label) {
  return label == FieldLabel::other ? 0 : static_cast<std::uint8_t>(2 * static_cast<unsigned>(label));
}
FieldLabel field_of(std::uint8_t label) {
  return static_cast<FieldLabel>((label + 1) / 2);
}
bool begins_field(std::uint8_t label) {
  return label % 2 == 1;
}

std::string_view text_of(std::string_view raw, const ReferenceToken& token) {
  return raw.substr(token.begin, token.end - token.begin);
}

/// Marks that open what follows: brackets, and quotation marks with space before and none behind.
bool opens(std::string_view raw, std::span<const ReferenceToken> tokens, std::size_t i) {
  const std::string_view text = text_of(raw, tokens[i]);
  if (text == "(" || text == "[" || text == "“" || text == "‘" || text == "«" || text == "„") return true;
  const bool quote = text == "\"" || text == "'" || text == "`";
  return quote && (i == 0 || tokens[i].space_before) && i + 1 < tokens.size() && !tokens[i + 1].space_before;
}

bool is_mark(const ReferenceToken& token) {
  return token.kind == TokenKind::punctuation;
}

/// Marks that may stand at the end of a field and belong to it.
bool closes_itself(std::string_view raw, std::uint32_t begin, const ReferenceToken& token) {
  const std::string_view text = text_of(raw, token);
  if (text == "?" || text == "!" || text == "+" || text == "*" || text == "%" || text == "$") return true;
  const std::string_view inside = raw.substr(begin, token.begin - begin);
  if (text == ")")
    return std::count(inside.begin(), inside.end(), '(') > std::count(inside.begin(), inside.end(), ')');
  if (text == "]")
    return std::count(inside.begin(), inside.end(), '[') > std::count(inside.begin(), inside.end(), ']');
  return false;
}

/// An opening bracket stays when its partner stands before the end.
bool opens_itself(std::string_view raw, const ReferenceToken& token, std::uint32_t end) {
  const std::string_view text = text_of(raw, token);
  if (text == "$" || text == "#" || text == "@") return true;
  if (text != "(" && text != "[") return false;
  const std::size_t partner = raw.substr(0, end).find(text == "(" ? ')' : ']', token.end);
  return partner != std::string_view::npos && partner + 1 < end;
}

std::string joined(std::string_view raw, std::span<const LabelledField> fields, FieldLabel label) {
  std::string text;
  for (const auto& field : fields) {
    if (field.label != label) continue;
    if (!text.empty()) text += ' ';
    text += raw.substr(field.begin, field.end - field.begin);
  }
  return text;
}

/// The longest field of this kind; fields that only marks part are one.
LabelledField longest(std::span<const LabelledField> fields, FieldLabel label) {
  LabelledField best;
  LabelledField current;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const LabelledField& field = fields[i];
    if (field.label != label) continue;
    const bool goes_on = i > 0 && fields[i - 1].label == label && current.end + 3 >= field.begin;
    if (goes_on) {
      current.end = field.end;
      current.confidence = std::min(current.confidence, field.confidence);
    } else {
      current = field;
    }
    if (current.end - current.begin > best.end - best.begin) best = current;
  }
  return best;
}

}  // namespace

const char* field_label_name(FieldLabel label) noexcept {
  return kNames[static_cast<std::size_t>(label)];
}

std::vector<std::string> token_label_names() {
  std::vector<std::string> names{"other"};
  for (std::size_t i = 1; i < kFieldLabels; ++i) {
    names.push_back(std::string("B-") + kNames[i]);
    names.push_back(std::string("I-") + kNames[i]);
  }
  return names;
}

std::vector<std::uint8_t> token_labels(std::string_view raw, std::span<const ReferenceToken> tokens,
                                       std::span<const LabelledField> fields) {
  constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::vector<std::size_t> field_at(tokens.size(), kNone);
  for (std::size_t f = 0; f < fields.size(); ++f) {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (tokens[i].begin >= fields[f].begin && tokens[i].begin < fields[f].end &&
          fields[f].label != FieldLabel::other)
        field_at[i] = f;
    }
  }
  for (std::size_t i = tokens.size(); i-- > 0;) {
    if (field_at[i] == kNone && is_mark(tokens[i]) && opens(raw, tokens, i) && i + 1 < tokens.size())
      field_at[i] = field_at[i + 1];
  }
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    if (field_at[i] == kNone && is_mark(tokens[i])) field_at[i] = field_at[i - 1];
  }
  std::vector<std::uint8_t> labels(tokens.size(), 0);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (field_at[i] == kNone) continue;
    const FieldLabel label = fields[field_at[i]].label;
    labels[i] = i > 0 && field_at[i - 1] == field_at[i] ? inner_of(label) : first_of(label);
  }
  return labels;
}

std::vector<LabelledField> labelled_fields(std::string_view raw, std::span<const ReferenceToken> tokens,
                                           std::span<const std::uint8_t> labels,
                                           std::span<const float> probabilities) {
  std::vector<LabelledField> fields;
  for (std::size_t i = 0; i < tokens.size();) {
    const FieldLabel label = field_of(labels[i]);
    std::size_t end = i + 1;
    while (end < tokens.size() && field_of(labels[end]) == label && !begins_field(labels[end])) ++end;
    if (label != FieldLabel::other) {
      std::size_t first = i;
      std::size_t last = end;
      // Marks at the end, then at the front, then again: a bracket whose partner went goes as well.
      const auto strip_end = [&] {
        while (last > first && is_mark(tokens[last - 1]) &&
               !closes_itself(raw, tokens[first].begin, tokens[last - 1]))
          --last;
      };
      strip_end();
      while (first < last && is_mark(tokens[first]) &&
             !opens_itself(raw, tokens[first], tokens[last - 1].end))
        ++first;
      strip_end();
      if (first < last) {
        LabelledField field{label, tokens[first].begin, tokens[last - 1].end, 1};
        if (!probabilities.empty()) {
          float sum = 0;
          for (std::size_t t = first; t < last; ++t) sum += probabilities[t];
          field.confidence = sum / static_cast<float>(last - first);
        }
        fields.push_back(field);
      }
    }
    i = end;
  }
  return fields;
}

LabelledWork labelled_work(std::string_view raw, std::span<const LabelledField> fields) {
  LabelledWork work;
  const auto text = [&](const LabelledField& field) {
    return std::string(raw.substr(field.begin, field.end - field.begin));
  };
  work.authors = joined(raw, fields, FieldLabel::author);
  const LabelledField title = longest(fields, FieldLabel::title);
  const LabelledField book = longest(fields, FieldLabel::book);
  const LabelledField journal = longest(fields, FieldLabel::journal);
  work.title = text(title.end > 0 ? title : book);
  if (journal.end > 0) {
    work.venue = text(journal);
  } else if (title.end > 0) {
    work.venue = text(book);
  }
  for (const auto& field : fields) {
    if (field.label != FieldLabel::date) continue;
    if (const auto years = text::printed_years(raw.substr(field.begin, field.end - field.begin));
        !years.empty() && work.year == 0)
      work.year = years.front().year;
  }
  const LabelledField author = longest(fields, FieldLabel::author);
  work.confidence = (title.end > 0 ? title : book).end > 0 ? (title.end > 0 ? title : book).confidence : 0;
  if (author.end > 0) work.confidence = std::min(work.confidence, author.confidence);
  return work;
}

ReferenceLabeller::ReferenceLabeller(learn::CrfModel model, NameWords names)
    : model_(std::move(model)), names_(std::move(names)) {
  if (model_.labels() != token_label_names())
    fail(ErrorCode::corrupt,
         "reading the labeller of references: its labels are not those of this program; train it again or "
         "reinstall it");
}

ReferenceLabeller ReferenceLabeller::load(const std::filesystem::path& folder) {
  return {learn::CrfModel::from_bytes(io::read_file(folder / "labels.crf", kMaxModelBytes)),
          NameWords::from_bytes(io::read_file(folder / "names.bin", kMaxModelBytes))};
}

void ReferenceLabeller::save(const std::filesystem::path& folder) const {
  io::write_file_atomically(folder / "labels.crf", model_.to_bytes());
  io::write_file_atomically(folder / "names.bin", names_.to_bytes());
}

std::vector<LabelledField> ReferenceLabeller::label(std::string_view raw) const {
  raw = raw.substr(0, kMaxRawBytes);
  const auto tokens = reference_tokens(raw);
  if (tokens.empty()) return {};
  const auto result = model_.label(reference_features(raw, tokens, names_));
  return labelled_fields(raw, tokens, result.labels, result.probabilities);
}

void ReferenceLabeller::read_fields(Reference& fields) const {
  const auto labelled = label(fields.raw);
  LabelledWork work = labelled_work(fields.raw, labelled);
  // A venue without a title and without a volume or pages is the title of a book or report.
  const bool numbered = std::any_of(labelled.begin(), labelled.end(), [](const LabelledField& field) {
    return field.label == FieldLabel::volume || field.label == FieldLabel::pages;
  });
  if (work.title.empty() && !numbered) std::swap(work.title, work.venue);
  if (work.title.empty() && work.authors.empty() && work.venue.empty()) return;
  fields.title = text::clean_title(work.title);
  fields.venue = work.venue;
  if (work.year != 0) fields.year = work.year;
  if (auto authors = printed_authors(work.authors); !authors.empty()) fields.authors = std::move(authors);
}

void ReferenceLabeller::read_fields(ReferenceEntry& entry) const {
  read_fields(entry.fields);
  for (auto& part : entry.parts) read_fields(part);
}

}  // namespace mustcite::extract
