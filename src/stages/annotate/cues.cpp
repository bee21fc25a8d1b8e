#include "stages/annotate/cues.hpp"

#include <span>

namespace mustcite::annotate {
namespace {

// Phrases begin at a word, where that matters by a space in front.
constexpr std::string_view kCompares[]{" compare",
                                       " comparison",
                                       " outperform",
                                       " baseline",
                                       " better than",
                                       " worse than",
                                       " superior",
                                       " surpass",
                                       " against ",
                                       " versus ",
                                       " vs. ",
                                       " vs ",
                                       " competitor",
                                       " competing",
                                       " state-of-the-art",
                                       " state of the art",
                                       " sota ",
                                       " improves over",
                                       " improves upon",
                                       " improvement over",
                                       " in contrast to",
                                       " unlike ",
                                       " faster than",
                                       " higher than",
                                       " lower than",
                                       " table ",
                                       " reported in",
                                       " competitive"};
constexpr std::string_view kUses[]{
    " we use ",       " we used ",       " we adopt",    " we employ",    " we apply",     " we follow",
    " following",     " we utilize",     " we utilise",  " we leverage",  " used in our",  " using the ",
    " we consider ",  " implementation", " implemented", " we choose",    " we train",     " is used to",
    " are used to",   " we take ",       " we rely on",  " provided by ", " as in ",       " proposed by",
    " introduced in", " introduced by",  " we borrow",   " same setup",   " same setting", " as defined in"};
constexpr std::string_view kExtends[]{" extend",
                                      " generaliz",
                                      " generalis",
                                      " build on ",
                                      " builds on ",
                                      " build upon",
                                      " builds upon",
                                      " building on",
                                      " based on ",
                                      " inspired by",
                                      " motivated by",
                                      " modif",
                                      " variant of",
                                      " improve on",
                                      " strengthen",
                                      " adapt",
                                      " special case",
                                      " reduces to",
                                      " our analysis follows",
                                      " combine",
                                      " similar to that",
                                      " in the spirit of",
                                      " idea of ",
                                      " originally"};
constexpr std::string_view kData[]{" dataset",      " data set",    " benchmark",    " corpus",
                                   " corpora",      " evaluate on", " evaluated on", " experiments on",
                                   " task ",        " simulator",   " environment",  " test set",
                                   " training set", " challenge"};
constexpr std::string_view kOurs[]{" we ", " our ", " ours ", " this paper", " this work", " us "};
constexpr std::string_view kTheory[]{" bound",    " theorem",     " lemma",    " rate ", " rates ",
                                     " regret",   " complexity",  " proof",    " prove", " assumption",
                                     " optimal ", " convergence", " guarantee"};
constexpr std::string_view kNearest[]{
    " most related",  " most relevant",  " closest",       " closely related", " most similar",
    " most closely",  " similar to ",    " related to ",   " in parallel",     " concurrent",
    " independently", " recent work of", " open question", " open problem"};
constexpr std::string_view kBackground[]{
    " such as ",     " e.g.",         " for example",  " for instance",  " see ",
    " have been ",   " has been ",    " many ",        " various ",      " several ",
    " widely ",      " recent years", " recently",     " popular",       " including ",
    " successfully", " among others", " applications", " a number of",   " numerous",
    " extensively",  " well-known",   " well known",   " traditionally", " years "};
constexpr std::string_view kOthers[]{
    " they ",         " their ",     " these works",   " these methods",    " authors",
    " previous work", " prior work", " existing work", " existing methods", " earlier work"};
constexpr std::string_view kFuture[]{" future work",        " future research", " in the future",
                                     " could be ",          " it would be",     " promising direction",
                                     " possible to extend", " leave "};

bool holds(std::string_view folded, std::span<const std::string_view> phrases) {
  for (const std::string_view phrase : phrases) {
    if (folded.find(phrase) != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

const char* cue_name(Cue cue) noexcept {
  constexpr std::array<const char*, kCues> names{"compares", "uses",    "extends",    "data",   "ours",
                                                 "theory",   "nearest", "background", "others", "future"};
  return names[static_cast<std::size_t>(cue)];
}

std::array<bool, kCues> find_cues(std::string_view folded) {
  return {holds(folded, kCompares), holds(folded, kUses),       holds(folded, kExtends),
          holds(folded, kData),     holds(folded, kOurs),       holds(folded, kTheory),
          holds(folded, kNearest),  holds(folded, kBackground), holds(folded, kOthers),
          holds(folded, kFuture)};
}

}  // namespace mustcite::annotate
