#include "stages/collect/venues/link_parts.hpp"

#include "core/base/ascii.hpp"
#include "core/net/url.hpp"

namespace mustcite::collect {

std::string last_segment(std::string_view url) {
  url = url.substr(0, url.find_first_of("?#"));
  while (url.ends_with('/')) url.remove_suffix(1);
  return std::string(url.substr(url.rfind('/') + 1));
}

std::string stem(std::string_view url) {
  std::string name = last_segment(url);
  const std::size_t dot = name.rfind('.');
  if (dot != std::string::npos && dot > 0) name.resize(dot);
  return name;
}

std::optional<std::size_t> number_in(std::string_view text) {
  std::size_t at = text.find_first_of("0123456789");
  if (at == std::string_view::npos) return std::nullopt;
  std::size_t value = 0;
  for (; at < text.size() && value < 100'000'000; ++at) {
    const char c = text[at];
    const bool separates = c == ',' && at + 1 < text.size() && text[at + 1] >= '0' && text[at + 1] <= '9';
    if (separates) continue;
    if (c < '0' || c > '9') break;
    value = value * 10 + static_cast<std::size_t>(c - '0');
  }
  return value;
}

std::string lowered(std::string_view text) {
  return ascii_lower(trimmed(text));
}

std::string trimmed(std::string_view text) {
  return std::string(ascii_trimmed(text));
}

std::string link_of(const html::Element& element, std::string_view base, std::string_view attribute) {
  const std::string_view reference = element.attribute(attribute);
  return reference.empty() ? std::string() : net::resolve(base, reference).value_or("");
}

}  // namespace mustcite::collect
