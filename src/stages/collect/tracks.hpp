#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace mustcite::collect {

/// Whether the papers of a track belong to the main conference.
struct TrackVerdict {
  bool main = true;
  std::string reason;
  std::string by;  ///< "rules", "judge", or whoever edited the file
};

/// The verdict of the built-in rules, which look at the words of a track's name (case is no matter).
[[nodiscard]] TrackVerdict judge_by_rules(const std::string& venue, const std::string& track);

/// Decides track by track, and remembers: a table `venue, track, main or excluded, reason, by` that a person
/// may edit. What stands there is never decided again.
class TrackFilter {
 public:
  /// Reads `file` when it exists. Throws invalid_input for a line that is none. `judge`, when not empty, is a
  /// program that decides in the rules' place, e.g. by asking a language model: it gets "venue<TAB>track" on
  /// standard input and answers "main" or "excluded", a tab and a reason.
  TrackFilter(std::filesystem::path file, std::string judge);

  [[nodiscard]] const TrackVerdict& verdict(const std::string& venue, const std::string& track);
  /// Writes the file when something was decided.
  void save();

 private:
  TrackVerdict decide(const std::string& venue, const std::string& track) const;

  std::filesystem::path file_;
  std::string judge_;
  std::map<std::pair<std::string, std::string>, TrackVerdict> verdicts_;  ///< by venue and track as printed
  bool changed_ = false;
};

}  // namespace mustcite::collect
