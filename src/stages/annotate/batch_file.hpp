#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "stages/annotate/llm_judge.hpp"

namespace mustcite::annotate {

/// The questions of a run as a batch file of the service, one request a line: for its slower, cheaper way.
/// Questions whose reply is in the cache are left out.
struct BatchFile {
  std::string lines;
  std::uint64_t requests = 0;
  std::uint64_t cached = 0;
};
[[nodiscard]] BatchFile batch_requests(const std::vector<Instance>& instances,
                                       const std::vector<Prompt>& prompts, const LlmOptions& options,
                                       ReplyCache& cache);

/// lines == taken + refused + failed + unreadable, always.
struct BatchResults {
  std::uint64_t lines = 0;
  std::uint64_t taken = 0;       ///< replies that went into the cache
  std::uint64_t refused = 0;     ///< withheld by the service; in the cache as well, like a reply
  std::uint64_t failed = 0;      ///< the service states an error: asked for again
  std::uint64_t unreadable = 0;  ///< no line of such a file, or of another program
  std::uint64_t tokens_in = 0;
  std::uint64_t tokens_out = 0;
  double cost = 0;
};
/// Takes the results of a batch into the cache, in any order; the run that follows finds them there. Blank
/// lines do not count.
BatchResults take_batch_results(std::string_view text, const LlmOptions& options, ReplyCache& cache);

}  // namespace mustcite::annotate
