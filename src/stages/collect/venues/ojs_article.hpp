#pragma once

#include <string>
#include <string_view>

// What AAAI's OJS says in its pages and over OAI-PMH alike.
namespace mustcite::collect {

/// The volume in "Vol. 40 No. 1 (2026)"; 0 when there is none.
[[nodiscard]] int ojs_volume_in(std::string_view text);
/// The file behind an address that shows a PDF in a frame: /article/view/7/40 → /article/download/7/40.
[[nodiscard]] std::string ojs_download_of(std::string address);
/// Errata, retraction notices and front matter stand among the articles.
[[nodiscard]] bool is_ojs_notice(const std::string& title);

}  // namespace mustcite::collect
