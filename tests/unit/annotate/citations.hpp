#pragma once

#include <string>
#include <vector>

#include "stages/annotate/instance.hpp"
#include "stages/annotate/prompt.hpp"

namespace mustcite::annotate {

/// The prompts that ship.
inline std::vector<Prompt> both_prompts() {
  const std::string folder = MUSTCITE_SOURCE_DIR "/data/prompts/";
  return {read_prompt(folder + "type1-v1.txt"), read_prompt(folder + "type2-v1.txt")};
}

/// Instances of one work cited by papers of different titles.
inline std::vector<Instance> citations(std::size_t count) {
  std::vector<Instance> instances(count);
  for (std::size_t i = 0; i < count; ++i) {
    instances[i].id = "i" + std::to_string(i);
    instances[i].citing_title = "Paper " + std::to_string(i) + ".";
    instances[i].cited_title = "A work";
    instances[i].cited_as = "7";
    instances[i].contexts = {{"1 Introduction", "Seen in [7]."}};
  }
  return instances;
}

}  // namespace mustcite::annotate
