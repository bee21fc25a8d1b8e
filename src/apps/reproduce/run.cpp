#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "apps/reproduce/measure.hpp"
#include "apps/reproduce/process.hpp"
#include "apps/reproduce/reproduce.hpp"
#include "apps/reproduce/substitution.hpp"
#include "core/base/error.hpp"
#include "core/base/hash.hpp"
#include "core/io/file.hpp"

namespace mustcite::reproduce {
namespace {

namespace fs = std::filesystem;

// Marks a folder as ours: only such a one is emptied.
constexpr const char* kMarker = ".mustcite-reproduce";
constexpr std::size_t kMaxResultBytes = std::size_t{256} << 20;

fs::path shared_folder(const Options& options, const fs::path& source) {
  if (!options.shared.empty()) return fs::absolute(options.shared);
  if (const char* variable = std::getenv("MUSTCITE_SHARED"); variable != nullptr && *variable != '\0') {
    return fs::absolute(variable);
  }
  return (source / ".." / "shared").lexically_normal();
}

Places places_of(const Claim& claim, const Options& options) {
  Places places;
  std::error_code ignored;
  places.mustcite =
      options.mustcite.empty() ? fs::read_symlink("/proc/self/exe", ignored) : fs::absolute(options.mustcite);
  places.work = fs::absolute(options.work / claim.name).lexically_normal();
  places.source = options.source.empty()
                      ? fs::absolute(claim.file).lexically_normal().parent_path().parent_path()
                      : fs::absolute(options.source).lexically_normal();
  places.shared = shared_folder(options, places.source);
  return places;
}

/// Why a claim cannot be tried on this machine; empty when it can.
std::string unmet_need(const Claim& claim, const Options& options, const Places& places) {
  for (const Need need : claim.needs) {
    if (need == Need::shared && !fs::is_directory(places.shared)) {
      return fmt::format("needs the shared folder, and {} is none: set MUSTCITE_SHARED",
                         places.shared.string());
    }
    if (need == Need::network && !options.network) return "needs the network: allow it with --network";
    if (need == Need::neural && !options.neural) return "needs the neural plug-in, which is not installed";
  }
  return "";
}

fs::path input_path(const Claim& claim, const Input& input, const Places& places) {
  if (input.path.starts_with(kSharedVariable)) {
    return fs::path(places.shared.string() + input.path.substr(kSharedVariable.size()));
  }
  return fs::absolute(claim.file).parent_path() / input.path;
}

/// What is wrong with the inputs; empty when all are there and unchanged.
std::string changed_input(const Claim& claim, const Places& places) {
  for (const auto& input : claim.inputs) {
    const fs::path path = input_path(claim, input, places);
    if (!fs::is_regular_file(path)) return fmt::format("the input {} does not exist", path.string());
    const std::string digest = sha256_file(path);
    if (digest != input.sha256) {
      return fmt::format("the input {} is not the one of the claim: its sha256 is {}, expected {}",
                         path.string(), digest, input.sha256);
    }
  }
  return "";
}

/// An empty folder, or with `resume` the one of the last time.
void prepare_folder(const fs::path& work, const Options& options) {
  std::error_code error;
  if (fs::exists(work) && !fs::exists(work / kMarker) && !fs::is_empty(work, error)) {
    fail(ErrorCode::invalid_input,
         "{} holds files that are not of mustcite reproduce: choose another work folder", work.string());
  }
  if (!options.resume) fs::remove_all(work, error);
  fs::create_directories(work, error);
  if (error) {
    fail(ErrorCode::unavailable, "cannot make the work folder {}: {}; choose a place you may write to",
         work.string(), error.message());
  }
  if (!fs::exists(work / kMarker)) io::write_file_atomically(work / kMarker, "made by mustcite reproduce\n");
}

/// Runs the steps of one claim in its folder.
class StepRunner {
 public:
  StepRunner(const Claim& claim, const Options& options, const Places& places, Outcome& outcome)
      : claim_(claim), options_(options), places_(places), outcome_(outcome) {
    left_s_ = claim.timeout_s > 0 ? claim.timeout_s : options.timeout_s;
    for (const auto& input : claim.inputs) key_ += input.sha256;
  }

  /// True when every step succeeded; else the outcome says why not.
  bool run_all(Progress& progress) {
    for (std::size_t s = 0; s < claim_.steps.size(); ++s) {
      if (!run_step(s)) return false;
      progress.advance(1);
    }
    return true;
  }

  [[nodiscard]] fs::path output(std::size_t step) const {
    return places_.work / fmt::format("step-{}.out", step + 1);
  }

 private:
  bool run_step(std::size_t s) {
    Command command;
    for (const auto& word : claim_.steps[s]) command.words.push_back(substitute(word, places_.words()));
    // A step is the same when its words, the inputs and all steps before it are.
    for (const auto& word : command.words) key_ += fmt::format("\n{}:{}", word.size(), word);
    key_ = sha256_hex(key_);
    const fs::path done = places_.work / fmt::format("step-{}.done", s + 1);
    if (options_.resume && fs::exists(done) && io::read_file(done) == key_) {
      ++outcome_.steps_resumed;
      return true;
    }
    std::error_code ignored;
    fs::remove(done, ignored);
    command.folder = places_.work;
    command.out = output(s);
    command.err = places_.work / fmt::format("step-{}.err", s + 1);
    command.timeout_s = left_s_;
    const auto began = std::chrono::steady_clock::now();
    const Exit exit = run_command(command);
    left_s_ -= std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    ++outcome_.steps_run;
    if (exit.how != Exit::How::exited || exit.code != 0) {
      outcome_.problem = fmt::format("step {} of {} ({}) ended with {}", s + 1, claim_.steps.size(),
                                     command.words.front(), describe(exit));
      const std::string words = last_words(command.err);
      if (!words.empty()) outcome_.problem += ": " + words;
      return false;
    }
    io::write_file_atomically(done, key_);
    return true;
  }

  const Claim& claim_;
  const Options& options_;
  const Places& places_;
  Outcome& outcome_;
  double left_s_ = 0;
  std::string key_;
};

Measurement measure_in(const Expected& expected, const fs::path& file) {
  const std::string source = expected.file.empty() ? "the output of the last step" : expected.file;
  if (!fs::is_regular_file(file)) {
    Measurement missing;
    missing.name = expected.name;
    missing.expectation = expectation(expected);
    missing.problem = fmt::format("{} does not exist", source);
    return missing;
  }
  return measure(expected, io::read_file(file, kMaxResultBytes), source);
}

void judge(const Claim& claim, const fs::path& work, const fs::path& output, Outcome& outcome) {
  outcome.verdict = Verdict::ok;
  for (const auto& expected : claim.expected) {
    outcome.measurements.push_back(
        measure_in(expected, expected.file.empty() ? output : work / expected.file));
    // Verdicts stand from best to worst; unavailable does not occur here.
    outcome.verdict = std::max(outcome.verdict, outcome.measurements.back().verdict);
  }
}

}  // namespace

Outcome run(const Claim& claim, const Options& options, Progress& progress) {
  const auto began = std::chrono::steady_clock::now();
  Outcome outcome;
  outcome.claim = claim.name;
  const Places places = places_of(claim, options);
  outcome.problem = unmet_need(claim, options, places);
  if (!outcome.problem.empty()) {
    outcome.verdict = Verdict::unavailable;
    return outcome;
  }
  outcome.problem = changed_input(claim, places);
  if (!outcome.problem.empty()) return outcome;
  prepare_folder(places.work, options);
  progress.begin(claim.name, claim.steps.size());
  StepRunner runner(claim, options, places, outcome);
  const bool done = runner.run_all(progress);
  progress.finish();
  if (done) judge(claim, places.work, runner.output(claim.steps.size() - 1), outcome);
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return outcome;
}

}  // namespace mustcite::reproduce
