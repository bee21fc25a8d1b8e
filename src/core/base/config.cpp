#include "core/base/config.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <fstream>
#include <sstream>
#include <type_traits>

#include "core/base/error.hpp"

// Declared by POSIX, not by a header of the standard library.
extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace mustcite {
namespace {

constexpr std::string_view kPrefix = "MUSTCITE_";

/// The table of all settings. A new one is a line here; a default that is a number or `true`/`false` makes
/// every other value of that setting be one as well.
std::vector<Setting> make_table() {
  std::vector<Setting> table{
      {"collect.contact", "", "An address at which operators of sites can reach you; part of the user agent."},
      {"collect.gateway", "", "host:port of a server that plays every site over http; empty: the sites themselves."},
      {"collect.interval_ms", "0", "Milliseconds between requests to a host; 0: what each host is known to take."},
      {"collect.longest_pause_s", "120", "A site that asks for a longer pause than this is given up for now."},
      {"collect.max_page_bytes", "67108864", "Pages larger than this are refused."},
      {"collect.private_addresses", "false", "Whether pages may come from private addresses (a proxy at home)."},
      {"collect.retries", "5", "How often a page is tried again after a passing failure."},
      {"dense.storage", "float16", "How vectors are kept: float16 or int8 (a third of the space)."},
      {"encode.precision", "auto", "Numbers of neural models: auto, float32 or bfloat16."},
      {"extract.grobid", "", "Address of the GROBID service that `extract` asks; empty: none."},
      {"extract.max_pages", "500", "PDFs with more pages are refused; a paper has fewer."},
      {"extract.max_words", "2000000", "PDFs with more words are refused."},
      {"extract.nougat", "", "The command with which `extract` makes Nougat markup; empty: none."},
      {"extract.recipe", "default", "Order of the readers: default, published, or one reader's name."},
      {"http.max_bytes", "17179869184", "Downloads larger than this are refused."},
      {"http.retries", "5", "How often a download is tried again after a passing failure."},
      {"http.timeout_s", "60", "Seconds without a byte after which a connection is given up."},
      {"index.abstract_weight", "1", "How often the abstract counts against the title, a whole number."},
      {"index.analyzer", "english", "How text becomes terms: english (stems, stop words) or plain."},
      {"index.b", "0.75", "BM25: how much long documents are held back, 0 to 1."},
      {"index.k1", "1.5", "BM25: how soon the repetition of a term stops counting."},
      {"index.title_weight", "1", "How often the title counts against the abstract, a whole number."},
      {"late.bits", "2", "Bits of a dimension in which token vectors are kept: 1, 2 or 4."},
      {"log.level", "info", "What is written to stderr: debug, info, warning or error."},
      {"model.endpoint", "https://huggingface.co", "The hub that `model pull` fetches from."},
      {"model.token", "", "Token for models that the hub does not give to everyone; better set by environment."},
      {"recommend.depth", "20", "How many papers an answer lists."},
      {"recommend.method", "mustcite", "The method that ranks; `mustcite recommend --help` lists them."},
      {"threads", "0", "Threads of batch work; 0 takes every core."},
  };
  std::sort(table.begin(), table.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return table;
}

std::optional<std::size_t> position(std::string_view name) {
  const auto& table = Config::known();
  const auto found =
      std::lower_bound(table.begin(), table.end(), name,
                       [](const Setting& setting, std::string_view wanted) { return setting.name < wanted; });
  if (found == table.end() || found->name != name) return std::nullopt;
  return static_cast<std::size_t>(found - table.begin());
}

[[noreturn]] void fail_unknown(std::string_view name, const std::string& where) {
  std::vector<std::string> names;
  for (const auto& setting : Config::known()) names.push_back(setting.name);
  const auto near = nearest_name(name, names);
  fail(ErrorCode::invalid_input, "unknown setting '{}' {}{}", name, where,
       near ? fmt::format("; did you mean '{}'?", *near) : "; `mustcite config` lists the settings");
}

std::string environment_name(std::string_view setting) {
  std::string name(kPrefix);
  for (const char c : setting)
    name += c == '.' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

template <typename Number>
std::optional<Number> parse_number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  if constexpr (std::is_floating_point_v<Number>) {
    if (!std::isfinite(value)) return std::nullopt;
  }
  return value;
}

bool is_flag(std::string_view text) {
  return text == "true" || text == "false";
}

std::string origin_text(Config::Origin origin, std::string_view name) {
  switch (origin) {
    case Config::Origin::built_in:
      return "built in";
    case Config::Origin::file:
      return "from mustcite.toml";
    case Config::Origin::environment:
      return "from " + environment_name(name);
    case Config::Origin::flag:
      break;
  }
  return "from --set";
}

[[noreturn]] void fail_value(const Setting& setting, const Config::Value& value, std::string_view wanted) {
  fail(ErrorCode::invalid_input, "setting {} must be {}, not '{}' ({})", setting.name, wanted, value.text,
       origin_text(value.origin, setting.name));
}

/// Refuses a text where the default says that a number or a flag is wanted.
void check(const Setting& setting, const Config::Value& value) {
  if (is_flag(setting.default_value)) {
    if (!is_flag(value.text)) fail_value(setting, value, "true or false");
  } else if (parse_number<std::int64_t>(setting.default_value)) {
    if (!parse_number<std::int64_t>(value.text)) fail_value(setting, value, "a whole number");
  } else if (parse_number<double>(setting.default_value)) {
    if (!parse_number<double>(value.text)) fail_value(setting, value, "a number");
  }
}

/// The text of a TOML value; nothing for arrays and dates, which no setting takes.
std::optional<std::string> toml_text(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* integer = node.as_integer()) return fmt::format("{}", integer->get());
  if (const auto* number = node.as_floating_point()) return fmt::format("{}", number->get());
  if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
  return std::nullopt;
}

/// Levenshtein distance; swapped neighbours count once.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

/// Calls `visit(dotted name, node)` for every value below `table`.
template <typename Visit>
void each_value(const toml::table& table, const std::string& prefix, const Visit& visit) {
  for (const auto& [key, node] : table) {
    const std::string name = prefix.empty() ? std::string(key.str()) : prefix + "." + std::string(key.str());
    if (const auto* inner = node.as_table()) {
      each_value(*inner, name, visit);
    } else {
      visit(name, node);
    }
  }
}

}  // namespace

const std::vector<Setting>& Config::known() {
  static const std::vector<Setting> table = make_table();
  return table;
}

Config::Config() {
  for (const auto& setting : known()) values_.push_back({setting.default_value, Origin::built_in});
}

void Config::load_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream bytes;
  if (!in || std::filesystem::is_directory(path)) {
    fail(ErrorCode::not_found, "cannot read the settings file {}: check that it exists", path.string());
  }
  bytes << in.rdbuf();
  toml::table table;
  try {
    table = toml::parse(bytes.str(), path.string());
  } catch (const toml::parse_error& error) {
    fail(ErrorCode::invalid_input, "{} is not valid TOML, line {}: {}", path.string(),
         error.source().begin.line, error.description());
  }
  each_value(table, "", [&](const std::string& name, const toml::node& node) {
    const std::string where = fmt::format("in {}, line {}", path.string(), node.source().begin.line);
    const auto at = position(name);
    if (!at) fail_unknown(name, where);
    const auto text = toml_text(node);
    if (!text) fail(ErrorCode::invalid_input, "setting {} {} must be one text, number or flag", name, where);
    const Value value{*text, Origin::file};
    check(known()[*at], value);
    values_[*at] = value;
  });
}

void Config::load_environment() {
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view pair = *entry;
    const auto equals = pair.find('=');
    if (!pair.starts_with(kPrefix) || equals == std::string_view::npos) continue;
    const std::string_view name = pair.substr(0, equals);
    bool in_a_table = false;
    bool found = false;
    for (std::size_t i = 0; i < known().size() && !found; ++i) {
      const Setting& setting = known()[i];
      const auto dot = setting.name.find('.');
      in_a_table |=
          dot != std::string::npos && name.starts_with(environment_name(setting.name.substr(0, dot + 1)));
      if (name != environment_name(setting.name)) continue;
      const Value value{std::string(pair.substr(equals + 1)), Origin::environment};
      check(setting, value);
      values_[i] = value;
      found = true;
    }
    // Other variables of ours (MUSTCITE_WORKSPACE) do not start like a table of settings.
    if (!found && in_a_table) {
      std::vector<std::string> names;
      for (const auto& setting : known()) names.push_back(environment_name(setting.name));
      const auto near = nearest_name(name, names);
      fail(ErrorCode::invalid_input, "the environment variable {} is no setting{}", name,
           near ? fmt::format("; did you mean {}?", *near) : "; `mustcite config` lists the settings");
    }
  }
}

void Config::set(std::string_view name, std::string_view text) {
  const auto at = position(name);
  if (!at) fail_unknown(name, "given with --set");
  const Value value{std::string(text), Origin::flag};
  check(known()[*at], value);
  values_[*at] = value;
}

const Config::Value& Config::value(std::string_view name) const {
  const auto at = position(name);
  if (!at) fail_unknown(name, "asked for");
  return values_[*at];
}

std::string Config::text(std::string_view name) const {
  return value(name).text;
}

double Config::number(std::string_view name) const {
  const Value& found = value(name);
  const auto number = parse_number<double>(found.text);
  if (!number) fail_value(known()[*position(name)], found, "a number");
  return *number;
}

std::int64_t Config::integer(std::string_view name) const {
  const Value& found = value(name);
  const auto number = parse_number<std::int64_t>(found.text);
  if (!number) fail_value(known()[*position(name)], found, "a whole number");
  return *number;
}

bool Config::flag(std::string_view name) const {
  const Value& found = value(name);
  if (!is_flag(found.text)) fail_value(known()[*position(name)], found, "true or false");
  return found.text == "true";
}

std::optional<std::string> nearest_name(std::string_view name, const std::vector<std::string>& known) {
  std::optional<std::string> best;
  std::size_t best_distance = std::max<std::size_t>(2, name.size() / 3) + 1;
  for (const auto& candidate : known) {
    // The last part alone ("analyzer") is near as well.
    const auto dot = candidate.rfind('.');
    std::size_t distance = edit_distance(name, candidate);
    if (dot != std::string::npos && !name.empty() && name.find('.') == std::string_view::npos) {
      distance = std::min(distance, edit_distance(name, std::string_view(candidate).substr(dot + 1)) + 1);
    }
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace mustcite
