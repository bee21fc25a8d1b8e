#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/base/progress.hpp"

/// Does a published number still come out? A claim is a TOML file in experiments/: inputs with digests, the
/// commands, and what they must print. See docs/verbs/reproduce.md for the keys.
namespace mustcite::reproduce {

/// A file that the steps read.
struct Input {
  /// As written: relative to the claim's file, or under `$MUSTCITE_SHARED`.
  std::string path;
  std::string sha256;
};

/// What a claim may need beyond the repository. A claim whose need is not met is reported as unavailable.
enum class Need { shared, network, neural };

/// A number or a text of a JSON file.
using Value = std::variant<double, std::string>;

/// One value that the last step must give.
struct Expected {
  std::string name;
  /// A JSON file in the work folder; empty: what the last step printed.
  std::string file;
  /// JSON pointer (RFC 6901) to the value.
  std::string pointer;
  /// Exact, or within the tolerances: |measured - value| <= max(absolute, relative * |value|).
  std::optional<Value> value;
  double absolute = 0;
  double relative = 0;
  /// Bounds, in place of or beside `value`.
  std::optional<double> min;
  std::optional<double> max;
};

struct Claim {
  std::string name;  ///< the file's name without .toml
  std::string statement;
  std::filesystem::path file;
  std::vector<Need> needs;
  std::vector<Input> inputs;
  /// Commands, run one after another without a shell. `{mustcite}`, `{work}`, `{shared}`, `{source}` are
  /// replaced.
  std::vector<std::vector<std::string>> steps;
  std::vector<Expected> expected;
  /// Time for all steps together; 0: that of the options.
  double timeout_s = 0;
};

struct Options {
  /// The program that `{mustcite}` stands for; empty: the running one.
  std::filesystem::path mustcite;
  /// Each claim works in a folder of its name below this one.
  std::filesystem::path work = "reproduce-work";
  /// `{shared}` and `$MUSTCITE_SHARED`; empty: the environment's MUSTCITE_SHARED, else ../shared beside the
  /// source.
  std::filesystem::path shared;
  /// `{source}`; empty: the folder above the claim's own.
  std::filesystem::path source;
  /// Leave out steps that finished before with the same command and inputs.
  bool resume = false;
  /// What is there to be used.
  bool network = false;
  bool neural = false;
  double timeout_s = 3600;
};

enum class Verdict { ok, within_tolerance, fail, unavailable };

struct Measurement {
  std::string name;
  std::optional<Value> measured;
  std::string expectation;  ///< `0.52 ± 0.001`, `at least 0.51`
  Verdict verdict = Verdict::fail;
  std::string problem;  ///< why nothing could be measured
};

struct Outcome {
  std::string claim;
  Verdict verdict = Verdict::fail;
  std::vector<Measurement> measurements;
  /// Why the claim failed before measuring, or is unavailable.
  std::string problem;
  std::size_t steps_run = 0;
  std::size_t steps_resumed = 0;
  double seconds = 0;
};

/// Reads one claim. Throws invalid_input for broken TOML (with its line), unknown keys (with the nearest
/// known one) and claims that could not be judged: no step, no expected value, an input without digest.
[[nodiscard]] Claim load(const std::filesystem::path& file);

/// The claims of a folder by rising name. Throws not_found when there is no folder or no claim in it.
[[nodiscard]] std::vector<Claim> list(const std::filesystem::path& folder);

/// The claim of that name; throws not_found with the nearest name.
[[nodiscard]] const Claim& find(std::span<const Claim> claims, const std::string& name);

/// Runs and judges one claim. Failing steps, missing or changed inputs and wrong values are an Outcome that
/// fails, not an exception. Throws when the work folder cannot be used, and `interrupted` when the user stops
/// it.
[[nodiscard]] Outcome run(const Claim& claim, const Options& options, Progress& progress);

/// `[OK]`, `[OK within tolerance]`, `[FAIL]` or `[UNAVAILABLE]`.
[[nodiscard]] const char* label(Verdict verdict);
/// A line for the outcome and one for each measurement.
[[nodiscard]] std::string render(const Outcome& outcome);
/// One JSON object with all outcomes and their count by verdict.
[[nodiscard]] std::string render_json(std::span<const Outcome> outcomes);
/// Name, needs and statement of each claim; as JSON array when `json`.
enum class ListFormat { terminal, json };
[[nodiscard]] std::string render_list(std::span<const Claim> claims, ListFormat format);
/// True when an outcome fails: the program then exits with code 4.
[[nodiscard]] bool any_failed(std::span<const Outcome> outcomes);

}  // namespace mustcite::reproduce
