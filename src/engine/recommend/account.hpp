#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/schema/paper.hpp"
#include "engine/rank/explain.hpp"

namespace mustcite::recommend {

/// Where a paper stands for one query, and why it came up or did not.
struct Account {
  enum class Standing {
    answered,   ///< among the papers shown
    below,      ///< ranked, but below what is shown
    filtered,   ///< ranked, but the filters let it not through
    cut,        ///< some view found it, the first stage of the ranker left it out
    not_found,  ///< no view found it
    left_out,   ///< the query itself, excluded, or cited already
    too_new,    ///< not older than the query's date
    unknown     ///< the index has no such paper
  };
  Standing standing = Standing::unknown;
  std::string verdict;                 ///< one or two sentences for people
  std::optional<Paper> paper;          ///< without abstract; none when unknown
  std::size_t place = 0;               ///< among all ranked papers, from 1; 0: not ranked
  std::size_t ranked = 0;              ///< papers ranked
  std::vector<rank::ViewShare> views;  ///< those that found it, best place first
  std::vector<std::string> terms;      ///< words shared with the query, strongest first
  rank::Probabilities probability;     ///< of ranked papers
  std::vector<rank::FeatureShare> features;  ///< of ranked papers: every one, largest contribution first
};

/// `answered`, `below`, `filtered`, …: words joined by hyphens.
[[nodiscard]] const char* standing_name(Account::Standing standing) noexcept;

}  // namespace mustcite::recommend
