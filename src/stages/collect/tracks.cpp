#include "stages/collect/tracks.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <vector>

#include "core/base/error.hpp"
#include "core/io/file.hpp"
#include "core/io/lines.hpp"
#include "core/text/normalise.hpp"

namespace mustcite::collect {
namespace {

struct Mark {
  std::string_view words;
  std::string_view reason;
};

/// Words that put a track beside the main conference, wherever they stand.
constexpr std::array<Mark, 22> kBeside{{{"workshop", "a workshop"},
                                        {"tutorial", "tutorials"},
                                        {"demonstration", "demonstrations"},
                                        {"demo", "demonstrations"},
                                        {"student", "student abstracts or research workshop"},
                                        {"srw", "student research workshop"},
                                        {"consortium", "a consortium"},
                                        {"findings", "findings: not presented at the main conference"},
                                        {"industry", "the industry track"},
                                        {"iaai", "IAAI, a conference of its own"},
                                        {"innovative applications", "IAAI, a conference of its own"},
                                        {"eaai", "EAAI, a symposium of its own"},
                                        {"educational advances", "EAAI, a symposium of its own"},
                                        {"model ai assignments", "EAAI, a symposium of its own"},
                                        {"senior member", "invited presentations"},
                                        {"new faculty", "invited presentations"},
                                        {"emerging trends", "invited presentations"},
                                        {"what's hot", "invited presentations"},
                                        {"what’s hot", "invited presentations"},
                                        {"nectar", "work published elsewhere before"},
                                        {"late-breaking", "late-breaking papers"},
                                        {"creative_ai", "an exhibition"}}};

constexpr std::array<Mark, 15> kAaaiBeside{
    {{"deployed", "IAAI, a conference of its own"},
     {"emerging application", "IAAI, a conference of its own"},
     {"emerging papers", "IAAI, a conference of its own"},
     {"challenge papers", "IAAI, a conference of its own"},
     {"full papers", "EAAI, a symposium of its own"},
     {"poster papers", "EAAI, a symposium of its own"},
     {"new scientific and technical advances", "work published elsewhere before"},
     {"competition", "a competition"},
     {"index", "front matter"},
     {"sister conference", "work published elsewhere before"},
     {"spotlight", "work published elsewhere before"},
     {"errat", "errata"},
     {"frontmatter", "front matter"},
     {"invited", "invited talks"},
     {"symposium", "a symposium of its own"}}};

constexpr std::array<Mark, 12> kIjcaiBeside{{{"journal", "work published elsewhere before"},
                                             {"sister", "work published elsewhere before"},
                                             {"survey", "surveys"},
                                             {"early career", "invited presentations"},
                                             {"special track", "a special track, reviewed on its own"},
                                             {"ai for good", "a special track, reviewed on its own"},
                                             {"social good", "a special track, reviewed on its own"},
                                             {"ai4tech", "a special track, reviewed on its own"},
                                             {"enabling tech", "a special track, reviewed on its own"},
                                             {"human-centred", "a special track, reviewed on its own"},
                                             {"human-centered", "a special track, reviewed on its own"},
                                             {"arts", "a special track, reviewed on its own"}}};

/// The words as a whole: "demo" is not in "democracy".
bool holds(const std::string& track, std::string_view words) {
  for (std::size_t at = track.find(words); at != std::string::npos; at = track.find(words, at + 1)) {
    const auto letter = [&](std::size_t i) { return i < track.size() && track[i] >= 'a' && track[i] <= 'z'; };
    const std::size_t end = at + words.size();
    const bool starts = at == 0 || !letter(at - 1);
    const bool ends = !letter(end) || words.size() > 4 || (track[end] == 's' && !letter(end + 1));
    if (starts && ends) return true;
  }
  return false;
}

template <std::size_t N>
const Mark* find_mark(const std::array<Mark, N>& marks, const std::string& track) {
  for (const Mark& mark : marks) {
    if (holds(track, mark.words)) return &mark;
  }
  return nullptr;
}

std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells;
  for (;;) {
    const std::size_t tab = line.find('\t');
    cells.emplace_back(line.substr(0, tab));
    if (tab == std::string_view::npos) return cells;
    line.remove_prefix(tab + 1);
  }
}

std::string one_line(std::string text) {
  for (char& c : text) {
    if (c == '\t' || c == '\n' || c == '\r') c = ' ';
  }
  return text;
}

}  // namespace

TrackVerdict judge_by_rules(const std::string& venue, const std::string& track_as_printed) {
  const std::string track = text::to_lower(track_as_printed);
  const Mark* mark = nullptr;
  if (venue == "aaai") mark = find_mark(kAaaiBeside, track);
  if (venue == "ijcai") mark = find_mark(kIjcaiBeside, track);
  // AAAI's journal track and its focus areas are part of the technical programme.
  if (mark == nullptr) mark = find_mark(kBeside, track);
  if (mark != nullptr) return {false, std::string(mark->reason), "rules"};
  return {true, track.empty() ? "the edition has no tracks" : "no sign of another track", "rules"};
}

TrackFilter::TrackFilter(std::filesystem::path file, std::string judge)
    : file_(std::move(file)), judge_(std::move(judge)) {
  std::error_code error;
  if (!std::filesystem::exists(file_, error)) return;
  io::LineReader lines(file_);
  for (std::string_view line; lines.next(line);) {
    if (line.empty() || line.front() == '#') continue;
    const std::vector<std::string> cells = cells_of(line);
    if (cells.size() < 3 || (cells[2] != "main" && cells[2] != "excluded")) {
      fail(ErrorCode::invalid_input,
           "{}:{}: a line is venue, track, 'main' or 'excluded', reason, by (with tabs between)",
           file_.string(), lines.line_number());
    }
    verdicts_[{cells[0], cells[1]}] = {cells[2] == "main", cells.size() > 3 ? cells[3] : "",
                                       cells.size() > 4 ? cells[4] : ""};
  }
}

const TrackVerdict& TrackFilter::verdict(const std::string& venue, const std::string& track) {
  const std::pair<std::string, std::string> key{venue, one_line(track)};
  const auto known = verdicts_.find(key);
  if (known != verdicts_.end()) return known->second;
  changed_ = true;
  return verdicts_[key] = decide(venue, key.second);
}

TrackVerdict TrackFilter::decide(const std::string& venue, const std::string& track) const {
  if (judge_.empty()) return judge_by_rules(venue, track);
  // The track is the site's text: it goes through a file, never through the command line.
  std::string name = (std::filesystem::temp_directory_path() / "mustcite-track-XXXXXX").string();
  const int descriptor = ::mkstemp(name.data());
  if (descriptor < 0) fail(ErrorCode::unavailable, "asking the track judge: no temporary file can be made");
  const std::string question = venue + "\t" + track + "\n";
  const bool written =
      ::write(descriptor, question.data(), question.size()) == static_cast<ssize_t>(question.size());
  ::close(descriptor);
  std::string answer;
  FILE* const pipe = written ? ::popen(fmt::format("({}) < {}", judge_, name.data()).c_str(), "re") : nullptr;
  std::array<char, 1024> piece{};
  while (pipe != nullptr && answer.size() < 65536 &&
         std::fgets(piece.data(), static_cast<int>(piece.size()), pipe) != nullptr)
    answer += piece.data();
  const int status = pipe == nullptr ? -1 : ::pclose(pipe);
  ::unlink(name.data());
  const std::vector<std::string> cells = cells_of(answer.substr(0, answer.find('\n')));
  if (status != 0 || (cells[0] != "main" && cells[0] != "excluded")) {
    fail(ErrorCode::unavailable,
         "asking the track judge '{}' about '{}': it must answer 'main' or 'excluded', a tab and a reason, "
         "and end with 0",
         judge_, track);
  }
  return {cells[0] == "main", cells.size() > 1 ? cells[1] : "", "judge"};
}

void TrackFilter::save() {
  if (!changed_ || file_.empty()) return;
  std::string text =
      "# venue\ttrack\tmain or excluded\treason\tby   (edit freely: what stands here is not decided again)\n";
  for (const auto& [key, verdict] : verdicts_) {
    text += fmt::format("{}\t{}\t{}\t{}\t{}\n", key.first, key.second, verdict.main ? "main" : "excluded",
                        one_line(verdict.reason), verdict.by);
  }
  std::filesystem::create_directories(file_.parent_path());
  io::write_file_atomically(file_, text);
  changed_ = false;
}

}  // namespace mustcite::collect
