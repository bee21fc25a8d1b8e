#include "stages/extract/train_labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "core/base/hash.hpp"
#include "core/io/file.hpp"
#include "core/text/normalise.hpp"
#include "core/text/printed_years.hpp"
#include "stages/extract/reference_features.hpp"
#include "stages/extract/reference_names.hpp"
#include "stages/extract/reference_styles.hpp"

namespace mustcite::extract {
namespace {

constexpr std::size_t kFewestTokens = 5;
constexpr std::uint32_t kLeastWordCount = 3;
constexpr std::uint64_t kParts = 5;

std::uint64_t number_of(std::string_view text) {
  return checksum64(std::as_bytes(std::span(text.data(), text.size())));
}

bool is_grobid(const LabelledString& string) {
  return string.source.find("anystyle") == std::string::npos;
}

/// What the strings are divided into.
struct Parts {
  std::vector<LabelledString> train;
  std::vector<LabelledString> held_out;
};

Parts divide(std::vector<LabelledString> strings, LabelTraining::HoldOut hold_out, LabelReport& report) {
  report.read = strings.size();
  const auto held = [&](const LabelledString& string, const std::string& key) {
    if (hold_out == LabelTraining::HoldOut::none || !is_grobid(string)) return false;
    return number_of(hold_out == LabelTraining::HoldOut::files ? string.source : key) % kParts == 0;
  };
  Parts parts;
  std::unordered_set<std::string> seen;
  // The held-out part first: what repeats it is not trained on.
  for (const bool first : {true, false}) {
    for (auto& string : strings) {
      if (string.raw.empty()) continue;
      const std::string key = content_key(string);
      if (held(string, key) != first) continue;
      if (string.fields.empty() || reference_tokens(string.raw).size() < kFewestTokens) {
        ++report.short_ones;
      } else if (!seen.insert(key).second) {
        ++report.repeated;
      } else {
        (first ? parts.held_out : parts.train).push_back(std::move(string));
      }
      string.raw.clear();
    }
  }
  report.short_ones = report.read - report.repeated - parts.train.size() - parts.held_out.size();
  report.trained = parts.train.size();
  report.held_out = parts.held_out.size();
  return parts;
}

NameWords count_words(std::span<const Paper> papers) {
  NameWords::Builder builder;
  for (const auto& paper : papers) {
    builder.add_title(paper.title);
    for (const auto& author : paper.authors) builder.add_author(author);
  }
  return builder.build(kLeastWordCount);
}

void add_sequences(std::span<const LabelledString> strings, const NameWords& names,
                   std::vector<learn::CrfSequence>& out) {
  for (const auto& string : strings) {
    const auto tokens = reference_tokens(string.raw);
    if (tokens.empty()) continue;
    out.push_back(reference_features(string.raw, tokens, names));
    out.back().labels = token_labels(string.raw, tokens, string.fields);
  }
}

/// All parts of a kind as one text: what the labelling says the field is.
std::string all_of(const LabelledString& string, FieldLabel label) {
  std::string text;
  for (const auto& field : string.fields) {
    if (field.label != label) continue;
    if (!text.empty()) text += ' ';
    text += std::string_view(string.raw).substr(field.begin, field.end - field.begin);
  }
  return text;
}

LabelledWork gold_of(const LabelledString& string) {
  LabelledWork gold;
  gold.authors = all_of(string, FieldLabel::author);
  gold.title = all_of(string, FieldLabel::title);
  const std::string book = all_of(string, FieldLabel::book);
  gold.venue = all_of(string, FieldLabel::journal);
  if (gold.title.empty())
    gold.title = book;
  else if (gold.venue.empty())
    gold.venue = book;
  const std::string dates = all_of(string, FieldLabel::date);
  if (const auto years = text::printed_years(dates); !years.empty()) gold.year = years.front().year;
  return gold;
}

/// Without marks and white space at the ends, white space folded.
std::string bare(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) > ' ')
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  const auto outer = [](char c) {
    return std::string_view(" .,;:()[]{}\"'`-").find(c) != std::string_view::npos;
  };
  const auto strip = [&](std::string_view mark) {
    if (out.starts_with(mark)) out.erase(0, mark.size());
    if (out.ends_with(mark)) out.resize(out.size() - mark.size());
  };
  for (std::size_t before = out.size() + 1; before != out.size();) {
    before = out.size();
    while (!out.empty() && outer(out.front())) out.erase(0, 1);
    while (!out.empty() && outer(out.back())) out.pop_back();
    for (const std::string_view mark : {"“", "”", "‘", "’", "–"}) strip(mark);
  }
  return out;
}

/// 1 - edit distance / longer length.
double likeness(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return a.empty() && b.empty() ? 1 : 0;
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({change, row[j] + 1, row[j - 1] + 1});
    }
  }
  return 1 - static_cast<double>(row[b.size()]) / static_cast<double>(std::max(a.size(), b.size()));
}

void compare(FieldScore& score, const std::string& gold, const std::string& found, const char* name,
             const LabelledString& string, std::vector<std::string>* mistakes) {
  const std::string wanted = bare(gold);
  const std::string given = bare(found);
  score.labelled += wanted.empty() ? 0 : 1;
  score.found += given.empty() ? 0 : 1;
  if (!wanted.empty() && wanted == given) ++score.exact;
  if (!wanted.empty() && likeness(wanted, given) >= 0.9) ++score.soft;
  if (mistakes != nullptr && wanted != given)
    mistakes->push_back(fmt::format("{}\t{}\t{}\t{}\t{}", name, string.source, wanted, given, string.raw));
}

std::string record(const LabelTraining& training, const LabelReport& report) {
  static constexpr const char* kHoldOuts[] = {"none", "strings", "files"};
  nlohmann::ordered_json out;
  out["read"] = report.read;
  out["trained"] = report.trained;
  out["rendered"] = report.rendered;
  out["repeated"] = report.repeated;
  out["short"] = report.short_ones;
  out["features"] = report.features;
  out["seed"] = training.seed;
  out["rounds"] = training.learner.rounds;
  out["regularisation"] = training.learner.regularisation;
  out["hold_out"] = kHoldOuts[static_cast<int>(training.hold_out)];
  out["held_out"] = report.held_out;
  for (const auto& [name, score] : report.scores)
    out["scores"][name] = {{"labelled", score.labelled},
                           {"found", score.found},
                           {"f1", score.f1()},
                           {"soft_f1", score.soft_f1()}};
  return out.dump(2) + "\n";
}

}  // namespace

std::map<std::string, FieldScore> score_labels(const ReferenceLabeller& labeller,
                                               std::span<const LabelledString> strings,
                                               std::vector<std::string>* mistakes) {
  std::map<std::string, FieldScore> scores;
  for (const auto& string : strings) {
    const LabelledWork gold = gold_of(string);
    const LabelledWork found = labelled_work(string.raw, labeller.label(string.raw));
    const auto year = [](int value) { return value == 0 ? std::string() : std::to_string(value); };
    compare(scores["authors"], gold.authors, found.authors, "authors", string, mistakes);
    compare(scores["title"], gold.title, found.title, "title", string, mistakes);
    compare(scores["venue"], gold.venue, found.venue, "venue", string, mistakes);
    compare(scores["year"], year(gold.year), year(found.year), "year", string, mistakes);
  }
  return scores;
}

LabelReport train_labels(const LabelTraining& training, std::span<const Paper> papers,
                         const std::filesystem::path& out, Progress& progress) {
  LabelReport report;
  Parts parts = divide(read_labelled_strings(training.strings), training.hold_out, report);
  RenderOptions rendering;
  rendering.count = training.rendered;
  rendering.seed = training.seed;
  const auto rendered = render_references(papers, rendering);
  report.rendered = rendered.size();
  NameWords names = count_words(papers);
  std::vector<learn::CrfSequence> sequences;
  add_sequences(parts.train, names, sequences);
  add_sequences(rendered, names, sequences);
  learn::CrfOptions learner = training.learner;
  learner.seed = training.seed;
  progress.begin("train references", static_cast<std::uint64_t>(learner.rounds));
  auto model = learn::train_crf(sequences, token_label_names(), learner,
                                [&](const learn::CrfRound&) { progress.advance(1); });
  progress.finish();
  report.features = model.features();
  const ReferenceLabeller labeller(std::move(model), std::move(names));
  report.scores = score_labels(labeller, parts.held_out);
  report.bytes = labeller.model().to_bytes().size();
  if (out.empty()) return report;
  std::filesystem::create_directories(out);
  labeller.save(out);
  io::write_file_atomically(out / "model.json", record(training, report));
  report.bytes = 0;
  for (const char* file : {"labels.crf", "names.bin", "model.json"})
    report.bytes += std::filesystem::file_size(out / file);
  return report;
}

}  // namespace mustcite::extract
