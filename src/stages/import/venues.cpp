#include "stages/import/venues.hpp"

#include <array>
#include <string_view>

#include "core/text/normalise.hpp"

namespace mustcite::importing {
namespace {

struct Pattern {
  std::string_view phrase;  ///< lower case
  std::string_view venue;
};

/// Phrases of the full names; the first one found decides, so longer ones come first.
constexpr std::array<Pattern, 27> kPhrases{{
    {"neural information processing systems", "neurips"},
    {"international conference on machine learning", "icml"},
    {"international conference on learning representations", "iclr"},
    {"artificial intelligence and statistics", "aistats"},
    {"uncertainty in artificial intelligence", "uai"},
    {"conference on learning theory", "colt"},
    {"computational learning theory", "colt"},
    {"conference on robot learning", "corl"},
    {"aaai conference on artificial intelligence", "aaai"},
    {"joint conference on artificial intelligence", "ijcai"},
    {"winter conference on applications of computer vision", "wacv"},
    {"computer vision and pattern recognition", "cvpr"},
    {"european conference on computer vision", "eccv"},
    {"international conference on computer vision", "iccv"},
    {"empirical methods in natural language processing", "emnlp"},
    {"north american chapter of the association for computational linguistics", "naacl"},
    {"european chapter of the association for computational linguistics", "eacl"},
    {"transactions of the association for computational linguistics", "tacl"},
    {"annual meeting of the association for computational linguistics", "acl"},
    {"annual conference of the association for computational linguistics", "acl"},
    {"journal of machine learning research", "jmlr"},
    {"transactions on machine learning research", "tmlr"},
    {"medical imaging with deep learning", "midl"},
    {"language resources and evaluation", "lrec"},
    {"conference on computational linguistics", "coling"},
    {"knowledge discovery and data mining", "kdd"},
    {"arxiv", "arxiv"},
}};

/// Other spellings of the short names.
constexpr std::array<Pattern, 5> kShort{{{"nips", "neurips"},
                                         {"corr", "arxiv"},
                                         {"hlt-naacl", "naacl"},
                                         {"naacl-hlt", "naacl"},
                                         {"emnlp-ijcnlp", "emnlp"}}};

}  // namespace

std::string canonical_venue(const std::string& name) {
  const std::string lower = text::to_lower(name);
  for (const Pattern& pattern : kShort) {
    if (lower == pattern.phrase) return std::string(pattern.venue);
  }
  for (const std::string_view word : {"workshop", "findings", "tutorial", "system demonstration"}) {
    if (lower.find(word) != std::string::npos) return lower;
  }
  for (const Pattern& pattern : kPhrases) {
    if (lower.find(pattern.phrase) != std::string::npos) return std::string(pattern.venue);
  }
  return lower;
}

}  // namespace mustcite::importing
