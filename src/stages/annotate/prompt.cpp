#include "stages/annotate/prompt.hpp"

#include <fmt/format.h>

#include <array>
#include <cctype>

#include "core/base/error.hpp"
#include "core/base/hash.hpp"
#include "core/io/file.hpp"

namespace mustcite::annotate {
namespace {

constexpr std::string_view kSystem = "--- system ---\n";
constexpr std::string_view kUser = "--- user ---\n";
constexpr std::array<std::string_view, 5> kPlaceholders{"citing_title", "cited_title", "cited_year",
                                                        "cited_as", "contexts"};

std::string field(std::string_view head, std::string_view name, const std::string& file) {
  const std::string start = std::string(name) + ": ";
  for (std::size_t at = 0; at < head.size();) {
    const std::size_t end = std::min(head.find('\n', at), head.size());
    const std::string_view line = head.substr(at, end - at);
    if (line.starts_with(start)) return std::string(line.substr(start.size()));
    at = end + 1;
  }
  fail(ErrorCode::invalid_input, "the prompt {} has no line '{}: …' before its system part", file, name);
}

std::string contexts_text(const Instance& instance) {
  std::string text;
  int number = 1;
  for (const auto& context : instance.contexts)
    text += fmt::format("{}. [{}] \"{}\"\n", number++, context.section.empty() ? "?" : context.section,
                        context.text);
  if (text.empty()) text = "(no sentence could be located)\n";
  text.pop_back();
  return text;
}

std::string value_of(std::string_view placeholder, const Instance& instance) {
  if (placeholder == "citing_title") return instance.citing_title;
  if (placeholder == "cited_title") return instance.cited_title;
  if (placeholder == "cited_as") return instance.cited_as;
  if (placeholder == "cited_year")
    return instance.cited_year > 0 ? std::to_string(instance.cited_year) : "year unknown";
  return contexts_text(instance);
}

/// The placeholder that starts at `at`, a brace; empty when it is none.
std::string_view placeholder_at(std::string_view text, std::size_t at) {
  const std::size_t close = text.find('}', at);
  if (close == std::string_view::npos) return {};
  const std::string_view name = text.substr(at + 1, close - at - 1);
  for (const std::string_view known : kPlaceholders) {
    if (name == known) return known;
  }
  return {};
}

}  // namespace

std::string Prompt::definition() const {
  const std::string first = fmt::format("{}-v{}@{}", name, version, digest.substr(0, 8));
  return run > 1 ? fmt::format("{}~{}", first, run) : first;
}

std::string Prompt::identity() const {
  return run > 1 ? fmt::format("{}~{}", digest, run) : digest;
}

std::string Prompt::fill(const Instance& instance) const {
  std::string text;
  for (std::size_t at = 0; at < user.size(); ++at) {
    const std::string_view placeholder = user[at] == '{' ? placeholder_at(user, at) : std::string_view();
    if (placeholder.empty()) {
      text += user[at];
    } else {
      text += value_of(placeholder, instance);
      at += placeholder.size() + 1;
    }
  }
  return text;
}

Prompt parse_prompt(std::string_view text, const std::string& file) {
  const std::size_t system = text.find(kSystem);
  const std::size_t user = text.find(kUser);
  if (system == std::string_view::npos || user == std::string_view::npos || user < system) {
    fail(ErrorCode::invalid_input,
         "the prompt {} needs a line '--- system ---' and, after it, a line '--- user ---'", file);
  }
  Prompt prompt;
  const std::string_view head = text.substr(0, system);
  prompt.name = field(head, "name", file);
  prompt.version = field(head, "version", file);
  prompt.tier = parse_tier(field(head, "tier", file));
  if (prompt.tier != Tier::type1 && prompt.tier != Tier::type2)
    fail(ErrorCode::invalid_input, "the prompt {} is for tier {}; judges are asked for type1 or type2", file,
         tier_name(prompt.tier));
  prompt.system = text.substr(system + kSystem.size(), user - system - kSystem.size());
  prompt.user = text.substr(user + kUser.size());
  while (!prompt.user.empty() && prompt.user.back() == '\n') prompt.user.pop_back();
  while (!prompt.system.empty() && prompt.system.back() == '\n') prompt.system.pop_back();
  for (const std::string_view needed : {"citing_title", "cited_title", "contexts"}) {
    if (prompt.user.find(fmt::format("{{{}}}", needed)) == std::string::npos)
      fail(ErrorCode::invalid_input, "the prompt {} never names {{{}}}: the judge would not see it", file,
           needed);
  }
  prompt.digest = sha256_hex(text);
  return prompt;
}

Prompt read_prompt(const std::filesystem::path& file) {
  return parse_prompt(io::read_file(file, std::size_t{1} << 20), file.string());
}

Reply read_reply(std::string_view text, Tier tier) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.remove_suffix(1);
  if (text.empty()) return {};
  Reply reply;
  reply.kind = Reply::Kind::unreadable;
  const char low = tier == Tier::type1 ? '0' : '1';
  const char high = tier == Tier::type1 ? '1' : '5';
  std::size_t digits = 0;
  std::size_t letters = 0;
  char digit = 0;
  for (const char c : text) {
    if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
      ++digits;
      digit = c;
    }
    letters +=
        std::isalpha(static_cast<unsigned char>(c)) != 0 || (static_cast<unsigned char>(c) & 0x80U) != 0 ? 1
                                                                                                         : 0;
  }
  // "Answer: 4" and "**4**" are readable; a sentence that happens to hold a digit is not.
  if (digits != 1 || digit < low || digit > high || letters > 8 || text.size() > 16 ||
      text.find('-') != std::string_view::npos) {
    return reply;
  }
  reply.kind = text.size() == 1 ? Reply::Kind::clean : Reply::Kind::dressed;
  reply.value = digit - '0';
  return reply;
}

}  // namespace mustcite::annotate
