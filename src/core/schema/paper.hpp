#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/date.hpp"
#include "core/base/ids.hpp"

namespace mustcite {

/// One published work. Text is clean UTF-8 in NFC. An empty abstract serves linking, not retrieval;
/// an empty author list means unknown, never "none".
struct Paper {
  PaperId id;
  std::string title;
  std::string abstract;
  std::vector<std::string> authors;  ///< in order, as "Given Family"
  std::string venue;                 ///< short lower-case name, e.g. "neurips"; may be empty
  Date date;                         ///< of the proceedings where known, else of the earliest listing
  std::string track;
  std::string url;
  std::string doi;
  std::string arxiv_id;

  bool operator==(const Paper&) const = default;
};

/// One sentence in which a paper is cited.
struct CitationContext {
  std::string section;  ///< as printed
  std::string text;
  bool operator==(const CitationContext&) const = default;
};

/// One citing and one cited paper. `mentions` is empty where the marker could not be located: nothing is
/// known then, which is not zero.
struct Citation {
  PaperId citing;
  PaperId cited;
  int citing_year = 0;
  std::optional<int> mentions;
  std::optional<int> exp_mentions;  ///< mentions in sections such as Experiments or Results
  std::string marker;               ///< as printed, e.g. "4" or "Kingma and Ba, 2015"
  std::vector<CitationContext> contexts;
  bool operator==(const Citation&) const = default;
};

/// An entry of a bibliography, before it is linked to a paper.
struct Reference {
  std::string key;  ///< BibTeX key or label
  std::string raw;
  std::string title;
  std::vector<std::string> authors;
  int year = 0;  ///< 0: unknown
  std::string venue;
  std::string doi;
  std::string arxiv_id;
  std::string url;
};

/// A place in a text where a reference is cited.
struct Mention {
  std::string key;       ///< of the Reference
  std::size_t begin = 0;  ///< byte offsets into the text
  std::size_t end = 0;
  std::string section;
};

/// The published definitions of must-cite. `experiments` is a stand-in for Type I (mentioned in an
/// experiments section) and is always called so.
enum class Tier { all, type1, type2, type3, experiments, must };

/// `all`, `type1`, `type2`, `type3`, `experiments`, `must`.
[[nodiscard]] const char* tier_name(Tier tier) noexcept;
/// Throws usage for any other name, listing the known ones.
[[nodiscard]] Tier parse_tier(const std::string& name);

/// One judgement of one citation. The definition (prompt or rubric version) stays with the value.
struct Label {
  PaperId citing;
  PaperId cited;
  Tier tier = Tier::type1;
  int value = 0;  ///< Type I 0/1, Type II 1-5
  std::string judge;       ///< who: `local`, `openai`, `gemini`, `rater:NAME`, `adjudicated`
  std::string definition;  ///< what was asked: name and version of the prompt, rubric or question
  Date date;
  std::string model{};                ///< of the judge: a model's name or digest; may be empty
  std::optional<double> probability{};  ///< of the value, where the judge states one
  std::string reply{};                  ///< what the judge said, as it said it; may be empty
};

/// Judgements of the citations counted as must-cite by a tier.
struct TierRule {
  int type3_threshold = 3;  ///< mentions
  int type2_threshold = 4;  ///< score
};

/// Whether the citation counts for the tier by its mentions (all, type3, experiments, must); labels decide type1 and type2.
[[nodiscard]] bool counts_for(const Citation& citation, Tier tier, const TierRule& rule) noexcept;

}  // namespace mustcite
