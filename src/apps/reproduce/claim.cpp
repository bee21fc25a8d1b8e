#include <algorithm>

#include "apps/reproduce/reproduce.hpp"
#include "apps/reproduce/substitution.hpp"
#include "apps/reproduce/toml_reader.hpp"
#include "core/base/config.hpp"
#include "core/base/error.hpp"

namespace mustcite::reproduce {
namespace {

/// Reads the keys of one claim.
class ClaimReader : TomlReader {
 public:
  explicit ClaimReader(const std::filesystem::path& file) : TomlReader(file, "claim") {
    claim_.file = file;
    claim_.name = file.stem().string();
  }

  Claim read() {
    const toml::table table = parse();
    know(table, {"name", "statement", "needs", "timeout_s", "inputs", "steps", "expected"});
    if (table.contains("name") && text(table, "name") != claim_.name) {
      refuse(table["name"].node(),
             fmt::format("the name is '{}' but the file is called '{}': make them the same",
                         text(table, "name"), claim_.name));
    }
    claim_.statement = text(table, "statement");
    if (table.contains("timeout_s")) claim_.timeout_s = positive(table, "timeout_s");
    for (const auto& need : array(table, "needs", Presence::optional)) read_need(need);
    for (const auto& input : array(table, "inputs", Presence::optional)) read_input(input);
    for (const auto& step : array(table, "steps", Presence::required)) read_step(step);
    for (const auto& expected : array(table, "expected", Presence::required)) read_expected(expected);
    check_shared();
    return std::move(claim_);
  }

 private:
  void read_need(const toml::node& node) {
    const std::vector<std::string> known{"shared", "network", "neural"};
    const auto name = node.value_exact<std::string>().value_or("");
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end()) {
      refuse(&node, fmt::format("'{}' is nothing a claim can need: shared, network or neural", name));
    }
    claim_.needs.push_back(static_cast<Need>(found - known.begin()));
  }

  void read_input(const toml::node& node) {
    const auto& table = table_in(node, "inputs");
    know(table, {"path", "sha256"});
    Input input{text(table, "path"), text(table, "sha256")};
    const bool hex = input.sha256.size() == 64 &&
                     std::all_of(input.sha256.begin(), input.sha256.end(),
                                 [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
    if (!hex)
      refuse(table.get("sha256"), "'sha256' must be 64 hexadecimal digits in lower case: see sha256sum");
    claim_.inputs.push_back(std::move(input));
  }

  void read_step(const toml::node& node) {
    const auto* words = node.as_array();
    if (words == nullptr || words->empty()) {
      refuse(&node,
             "a step must be a list of words, the program first: steps = [[\"{mustcite}\", \"status\"]]");
    }
    std::vector<std::string> step;
    for (const auto& word : *words) {
      const auto value = word.value_exact<std::string>();
      if (!value) refuse(&word, "every word of a step must be a text: write numbers in quotes");
      if (const auto unknown = unknown_placeholder(*value, Places{}.words())) {
        refuse(&word,
               fmt::format("{} stands for nothing; known: {{mustcite}}, {{work}}, {{shared}}, {{source}}",
                           *unknown));
      }
      step.push_back(*value);
    }
    if (step.front().empty()) refuse(&node, "the program of a step is empty");
    claim_.steps.push_back(std::move(step));
  }

  void read_expected(const toml::node& node) {
    const auto& table = table_in(node, "expected");
    know(table, {"name", "file", "pointer", "value", "absolute", "relative", "min", "max"});
    Expected expected;
    expected.name = text(table, "name");
    expected.pointer = text(table, "pointer");
    if (table.contains("file")) expected.file = text(table, "file");
    const std::filesystem::path file = expected.file;
    if (file.is_absolute() || std::find(file.begin(), file.end(), "..") != file.end()) {
      refuse(table.get("file"), "'file' must lie in the work folder");
    }
    if (expected.pointer.front() != '/')
      refuse(table.get("pointer"), "'pointer' must begin with '/', as in /tables/0");
    if (const auto* value = table.get("value"); value != nullptr && value->is_string()) {
      expected.value = *value->value_exact<std::string>();
    } else if (value != nullptr) {
      expected.value = number(table, "value");
    }
    if (table.contains("min")) expected.min = number(table, "min");
    if (table.contains("max")) expected.max = number(table, "max");
    read_tolerance(table, expected);
    claim_.expected.push_back(std::move(expected));
  }

  void read_tolerance(const toml::table& table, Expected& expected) const {
    if (!expected.value && !expected.min && !expected.max) {
      refuse(&table, fmt::format("'{}' has neither value nor min nor max", expected.name));
    }
    const bool is_text = expected.value && std::holds_alternative<std::string>(*expected.value);
    for (const char* key : {"absolute", "relative"}) {
      if (!table.contains(key)) continue;
      if (!expected.value || is_text)
        refuse(table.get(key), fmt::format("'{}' needs a number as value", key));
      (std::string_view(key) == "absolute" ? expected.absolute : expected.relative) = positive(table, key);
    }
    if (is_text && (expected.min || expected.max)) refuse(&table, "a text has no min and max");
    if (expected.min && expected.max && *expected.min > *expected.max) refuse(&table, "min is above max");
  }

  /// Without the need, a machine that lacks the folder would fail where it should say "unavailable".
  void check_shared() const {
    const bool needs =
        std::find(claim_.needs.begin(), claim_.needs.end(), Need::shared) != claim_.needs.end();
    bool uses = false;
    for (const auto& input : claim_.inputs) uses |= input.path.starts_with(kSharedVariable);
    for (const auto& step : claim_.steps) {
      for (const auto& word : step) uses |= word.find("{shared}") != std::string::npos;
    }
    if (uses && !needs) refuse(nullptr, "it uses the shared folder: write needs = [\"shared\"]");
  }

  Claim claim_;
};

}  // namespace

Claim load(const std::filesystem::path& file) {
  return ClaimReader(file).read();
}

std::vector<Claim> list(const std::filesystem::path& folder) {
  std::error_code error;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".toml") files.push_back(entry.path());
  }
  if (error) fail(ErrorCode::not_found, "cannot read the claims of {}: {}", folder.string(), error.message());
  if (files.empty()) {
    fail(ErrorCode::not_found, "there is no claim in {}: a claim is a .toml file there", folder.string());
  }
  std::sort(files.begin(), files.end());
  std::vector<Claim> claims;
  for (const auto& file : files) claims.push_back(load(file));
  return claims;
}

const Claim& find(std::span<const Claim> claims, const std::string& name) {
  std::vector<std::string> names;
  for (const auto& claim : claims) {
    if (claim.name == name) return claim;
    names.push_back(claim.name);
  }
  const auto nearest = nearest_name(name, names);
  fail(ErrorCode::not_found, "there is no claim '{}'{}; `mustcite reproduce --list` shows all", name,
       nearest ? fmt::format(", did you mean '{}'?", *nearest) : "");
}

}  // namespace mustcite::reproduce
