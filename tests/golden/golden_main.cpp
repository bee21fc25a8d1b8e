// Runs one golden case: commands of the program and what they must print.
//
//   # a comment
//   $ mustcite search "some title"      run in an empty working folder; {source} is the source tree
//   first line of stdout
//   …
//   [stderr] a text that stderr must contain
//   [exit 3]                            0 when left out
//
// The working folder keeps its workspace from command to command; its path is printed as {work}. `...` as a whole
// line stands for any lines. With MUSTCITE_UPDATE_GOLDEN=1 the file is rewritten with what the program prints now:
// read the difference before committing it.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

struct Step {
  std::string command;
  std::vector<std::string> expected;
  std::vector<std::string> stderr_parts;
  int exit_code = 0;
  std::vector<std::string> comments;  // lines before the command
};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

std::string slurp(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::vector<Step> read_case(const fs::path& path) {
  std::vector<Step> steps;
  std::vector<std::string> comments;
  for (const auto& line : lines_of(slurp(path))) {
    if (line.starts_with("$ ")) {
      steps.push_back({line.substr(2), {}, {}, 0, comments});
      comments.clear();
    } else if (line.starts_with("# ") || line == "#") {
      comments.push_back(line);
    } else if (steps.empty()) {
      continue;
    } else if (line.starts_with("[stderr] ")) {
      steps.back().stderr_parts.push_back(line.substr(9));
    } else if (line.starts_with("[exit ")) {
      steps.back().exit_code = std::atoi(line.c_str() + 6);
    } else {
      steps.back().expected.push_back(line);
    }
  }
  for (auto& step : steps) {
    while (!step.expected.empty() && step.expected.back().empty()) step.expected.pop_back();
  }
  return steps;
}

/// Whether `actual` matches `expected`, where a line `...` stands for any number of lines.
bool matches(const std::vector<std::string>& expected, std::size_t e, const std::vector<std::string>& actual,
             std::size_t a) {
  for (; e < expected.size(); ++e, ++a) {
    if (expected[e] == "...") {
      for (std::size_t skip = a; skip <= actual.size(); ++skip) {
        if (matches(expected, e + 1, actual, skip)) return true;
      }
      return false;
    }
    if (a >= actual.size() || actual[a] != expected[e]) return false;
  }
  return a == actual.size();
}

struct Result {
  std::vector<std::string> out;
  std::string err;
  int exit_code = 0;
};

Result run(const Step& step, const fs::path& work, const std::string& source) {
  const std::string command = replaced(step.command, "{source}", source);
  const fs::path out = work.parent_path() / "stdout";
  const fs::path err = work.parent_path() / "stderr";
  const int status = std::system(
      fmt::format("cd '{}' && {{ {} ; }} >'{}' 2>'{}' </dev/null", work.string(), command, out.string(), err.string()).c_str());
  Result result;
  const auto shown = [&](const std::string& text) { return replaced(replaced(text, work.string(), "{work}"), source, "{source}"); };
  result.out = lines_of(shown(slurp(out)));
  while (!result.out.empty() && result.out.back().empty()) result.out.pop_back();
  result.err = shown(slurp(err));
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  return result;
}

void print_lines(const char* title, const std::vector<std::string>& lines) {
  std::cout << "  " << title << ":\n";
  for (const auto& line : lines) std::cout << "    " << line << "\n";
}

bool judge(const Step& step, const Result& result) {
  bool good = true;
  if (result.exit_code != step.exit_code) {
    std::cout << "  exit code " << result.exit_code << ", expected " << step.exit_code << "\n  stderr: " << result.err;
    good = false;
  }
  if (!matches(step.expected, 0, result.out, 0)) {
    print_lines("expected", step.expected);
    print_lines("printed", result.out);
    good = false;
  }
  for (const auto& part : step.stderr_parts) {
    if (result.err.find(part) == std::string::npos) {
      std::cout << "  stderr lacks: " << part << "\n  it says: " << result.err;
      good = false;
    }
  }
  return good;
}

void write_step(std::ostream& out, const Step& step, const Result& result) {
  for (const auto& comment : step.comments) out << comment << "\n";
  out << "$ " << step.command << "\n";
  // Lines that stand for any lines were written by a person: keep such an answer as it is while it still matches.
  for (const auto& line : matches(step.expected, 0, result.out, 0) ? step.expected : result.out) out << line << "\n";
  for (const auto& part : step.stderr_parts) out << "[stderr] " << part << "\n";
  if (result.exit_code != 0) out << "[exit " << result.exit_code << "]\n";
  out << "\n";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: golden_runner PROGRAM SOURCE CASE\n";
    return 2;
  }
  const std::string source = argv[2];
  const auto steps = read_case(argv[3]);
  if (steps.empty()) {
    std::cout << argv[3] << " holds no command\n";
    return 1;
  }
  const fs::path scratch = fs::temp_directory_path() / fmt::format("mustcite-golden-{}", ::getpid());
  const fs::path work = scratch / "work";
  fs::create_directories(work);
  ::setenv("MUSTCITE_WORKSPACE", (work / "ws").c_str(), 1);
  ::setenv("LC_ALL", "C.UTF-8", 1);
  const char* path = std::getenv("PATH");
  ::setenv("PATH", (fs::path(argv[1]).parent_path().string() + ":" + (path != nullptr ? path : "")).c_str(), 1);

  const bool update = std::getenv("MUSTCITE_UPDATE_GOLDEN") != nullptr;
  std::ostringstream updated;
  bool all_good = true;
  for (const auto& step : steps) {
    const auto result = run(step, work, source);
    if (update) {
      write_step(updated, step, result);
    } else if (!judge(step, result)) {
      std::cout << "FAILED: $ " << step.command << "\n";
      all_good = false;
      break;
    }
  }
  if (update) std::ofstream(argv[3], std::ios::binary) << updated.str();
  fs::remove_all(scratch);
  return all_good ? 0 : 1;
}
