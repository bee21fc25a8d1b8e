#include "stages/annotate/section.hpp"

#include <array>
#include <cctype>
#include <string>
#include <utility>

namespace mustcite::annotate {
namespace {

/// Letters of the heading in lower case with every other run folded to one space: PDF headings come with
/// numbers, dots and letters set apart.
std::string fold(std::string_view heading) {
  std::string folded = " ";
  for (const char c : heading) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalpha(byte) != 0) {
      folded += static_cast<char>(std::tolower(byte));
    } else if (folded.back() != ' ') {
      folded += ' ';
    }
  }
  folded += ' ';
  return folded;
}

// The first that occurs decides: "Related Work and Discussion" is related work.
constexpr std::array<std::pair<std::string_view, SectionRole>, 50> kWords{{
    {" related", SectionRole::related},           {" prior work", SectionRole::related},
    {" previous work", SectionRole::related},     {" literature", SectionRole::related},
    {" state of the art", SectionRole::related},  {" existing ", SectionRole::related},
    {" previous", SectionRole::related},          {" abstract", SectionRole::abstract},
    {" introduction", SectionRole::introduction}, {" motivation", SectionRole::introduction},
    {" overview", SectionRole::introduction},     {" contribution", SectionRole::introduction},
    {" conclu", SectionRole::conclusion},         {" future", SectionRole::conclusion},
    {" summary", SectionRole::conclusion},        {" acknowledg", SectionRole::conclusion},
    {" appendix", SectionRole::appendix},         {" supplement", SectionRole::appendix},
    {" experiment", SectionRole::experiments},    {" evaluation", SectionRole::experiments},
    {" evaluat", SectionRole::experiments},       {" empirical", SectionRole::experiments},
    {" result", SectionRole::experiments},        {" baseline", SectionRole::experiments},
    {" comparison", SectionRole::experiments},    {" compar", SectionRole::experiments},
    {" benchmark", SectionRole::experiments},     {" dataset", SectionRole::experiments},
    {" data set", SectionRole::experiments},      {" data ", SectionRole::experiments},
    {" simulation", SectionRole::experiments},    {" numerical", SectionRole::experiments},
    {" performance", SectionRole::experiments},   {" ablation", SectionRole::experiments},
    {" application", SectionRole::experiments},   {" implementation", SectionRole::experiments},
    {" setup", SectionRole::experiments},         {" case stud", SectionRole::experiments},
    {" discussion", SectionRole::discussion},     {" analysis", SectionRole::discussion},
    {" background", SectionRole::background},     {" preliminar", SectionRole::background},
    {" notation", SectionRole::background},       {" problem", SectionRole::background},
    {" setting", SectionRole::background},        {" method", SectionRole::method},
    {" approach", SectionRole::method},           {" model", SectionRole::method},
    {" algorithm", SectionRole::method},          {" proposed", SectionRole::method},
}};

}  // namespace

SectionRole section_role(std::string_view heading) {
  const std::string folded = fold(heading);
  for (const auto& [word, role] : kWords) {
    if (folded.find(word) != std::string::npos) return role;
  }
  return SectionRole::other;
}

const char* role_name(SectionRole role) noexcept {
  switch (role) {
    case SectionRole::abstract:
      return "abstract";
    case SectionRole::introduction:
      return "introduction";
    case SectionRole::related:
      return "related";
    case SectionRole::background:
      return "background";
    case SectionRole::method:
      return "method";
    case SectionRole::experiments:
      return "experiments";
    case SectionRole::discussion:
      return "discussion";
    case SectionRole::conclusion:
      return "conclusion";
    case SectionRole::appendix:
      return "appendix";
    case SectionRole::other:
      break;
  }
  return "other";
}

int section_number(std::string_view heading) noexcept {
  std::size_t at = 0;
  while (at < heading.size() && std::isalnum(static_cast<unsigned char>(heading[at])) == 0) ++at;
  int number = 0;
  std::size_t end = at;
  while (end < heading.size() && end < at + 2 && std::isdigit(static_cast<unsigned char>(heading[end])) != 0)
    number = number * 10 + (heading[end++] - '0');
  if (number > 0) return number;
  // Roman numerals up to XIX, as headings of some styles have them.
  int roman = 0;
  for (end = at; end < heading.size(); ++end) {
    const int digit = heading[end] == 'I' ? 1 : heading[end] == 'V' ? 5 : heading[end] == 'X' ? 10 : 0;
    if (digit == 0) break;
    const char next = end + 1 < heading.size() ? heading[end + 1] : ' ';
    roman += digit == 1 && (next == 'V' || next == 'X') ? -1 : digit;
  }
  const bool ends_there =
      end == heading.size() || std::isalnum(static_cast<unsigned char>(heading[end])) == 0;
  return ends_there ? roman : 0;
}

}  // namespace mustcite::annotate
