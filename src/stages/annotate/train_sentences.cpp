// What the sentence model learns from: annotated functions, and how often works are mentioned.
#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>

#include "core/base/error.hpp"
#include "core/io/file.hpp"
#include "core/io/lines.hpp"
#include "stages/annotate/train_local.hpp"

namespace mustcite::annotate {
namespace {

/// Bytes of context on either side of an annotated citation.
constexpr std::size_t kAround = 260;
constexpr float kFunctionWeight = 2;
constexpr std::size_t kSentencesPerPair = 3;

/// 1 central, 0 not, -1 to be skipped.
int centrality(const std::string& function) {
  if (function == "Background" || function == "Motivation" || function.starts_with("Future")) return 0;
  if (function.starts_with("Uses") || function.starts_with("Extends")) return 1;
  if (function == "Compares-Methodology" || function == "Compares-Results" ||
      function == "Contrasts-Results" || function == "Contrasts-Methodology") {
    return 1;
  }
  return -1;
}

/// The sentence-like stretch around an annotated span: to the full stops, at most kAround bytes each way.
CitationContext stretch(const std::string& text, std::size_t begin, std::size_t end, std::size_t& at,
                        std::size_t& until) {
  std::size_t first = begin > kAround ? begin - kAround : 0;
  for (std::size_t i = begin; i > first + 2; --i) {
    if (text[i - 1] == ' ' && text[i - 2] == '.' && i < text.size() && text[i] >= 'A' && text[i] <= 'Z') {
      first = i;
      break;
    }
  }
  std::size_t last = std::min(text.size(), end + kAround);
  const std::size_t stop = text.find(". ", end);
  if (stop != std::string::npos) last = std::min(last, stop + 1);
  at = begin - first;
  until = end - first;
  return {"", text.substr(first, last - first)};
}

void read_annotations(const std::filesystem::path& file, std::vector<SentenceModel::Example>& examples) {
  auto text_file = file;
  text_file.replace_extension(".txt");
  if (!std::filesystem::exists(text_file)) return;
  const std::string text = io::read_file(text_file, std::size_t{16} << 20);
  std::istringstream lines(io::read_file(file, std::size_t{16} << 20));
  std::string line;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string id, function;
    std::size_t begin = 0;
    std::size_t end = 0;
    if (!(words >> id >> function >> begin >> end) || !id.starts_with("T")) continue;
    const int label = centrality(function);
    if (label < 0 || begin >= end || end > text.size()) continue;
    std::size_t at = 0;
    std::size_t until = 0;
    const auto context = stretch(text, begin, end, at, until);
    examples.push_back(
        {SentenceModel::tokens_around(context.text, at, until), static_cast<float>(label), kFunctionWeight});
  }
}

}  // namespace

std::vector<SentenceModel::Example> read_citation_functions(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".ann") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<SentenceModel::Example> examples;
  for (const auto& file : files) read_annotations(file, examples);
  if (examples.empty()) {
    fail(ErrorCode::not_found,
         "{} holds no annotated citation functions: it needs NAME.ann with NAME.txt beside it",
         folder.string());
  }
  return examples;
}

std::vector<SentenceModel::Example> weak_sentences(const store::Catalog& catalog,
                                                   const std::set<std::string>& without) {
  std::vector<SentenceModel::Example> examples;
  catalog.each_citation([&](const Citation& citation) {
    if (!citation.mentions || without.contains(citation.citing.str())) return;
    if (*citation.mentions == 2 || *citation.mentions == 3) return;
    const float label = *citation.mentions >= 4 ? 1.0F : 0.0F;
    std::size_t taken = 0;
    for (const auto& context : citation.contexts) {
      if (taken++ == kSentencesPerPair) break;
      examples.push_back({SentenceModel::tokens_of(context, citation.marker), label, 1});
    }
  });
  return examples;
}

PairLabels read_pair_labels(const std::filesystem::path& file) {
  PairLabels labels;
  io::LineReader lines(file);
  std::string_view line;
  while (lines.next(line)) {
    if (line.empty() || line.front() == '#' || line.starts_with("citing_id")) continue;
    std::istringstream words{std::string(line)};
    std::string citing, cited;
    PairLabel label;
    if (!(words >> citing >> cited >> label.type1 >> label.type2) || label.type1 < 0 || label.type1 > 1 ||
        label.type2 < 1 || label.type2 > 5) {
      fail(ErrorCode::invalid_input, "{} line {}: a label is citing_id, cited_id, 0 or 1, 1 to 5",
           file.string(), lines.line_number());
    }
    labels[{citing, cited}] = label;
  }
  return labels;
}

}  // namespace mustcite::annotate
