#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "core/text/analyzer.hpp"
#include "engine/rank/explain.hpp"
#include "engine/rank/resources.hpp"

namespace mustcite::recommend {

/// The words of a text by the index term they become: terms are stems, readers want words.
class SurfaceForms {
 public:
  SurfaceForms(const text::Analyzer& analyzer, const std::string& text);
  /// The first word of the text that became `term`; the term itself when there is none.
  [[nodiscard]] std::string word(const std::string& term) const;

 private:
  std::unordered_map<std::string, std::string> words_;
};

/// Why a document is offered, one line each, strongest first: who of the nearest papers cites it and how, what it
/// shares with the query, which views found it.
[[nodiscard]] std::vector<std::string> reason_lines(const rank::Explanation& explanation, const rank::Resources& resources,
                                                    const SurfaceForms& words);

/// "dataset", "baseline", "method", "background", or nothing when no sentence tells: the likely role of a document, from
/// its title and the sections in which older papers mention it.
[[nodiscard]] std::string likely_role(const rank::Explanation& explanation, const rank::Resources& resources);

/// The citing sentence of the explanation with the title and year of its paper; empty when there is none.
[[nodiscard]] std::string evidence_line(const rank::Explanation& explanation, const rank::Resources& resources);

}  // namespace mustcite::recommend
