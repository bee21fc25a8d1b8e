#include "engine/dense/plugin_library.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace mustcite::dense {
namespace {

constexpr const char* kVariable = "OPENBLAS_CORETYPE";

TEST(NameProcessorForOpenblas, KeepsWhatSomebodyHasSaid) {
  setenv(kVariable, "Zen", 1);
  name_processor_for_openblas();
  EXPECT_EQ(std::string(std::getenv(kVariable)), "Zen");
}

TEST(NameProcessorForOpenblas, NamesOneWithTheInstructionsAtHand) {
  unsetenv(kVariable);
  name_processor_for_openblas();
  const char* const named = std::getenv(kVariable);
  if (__builtin_cpu_supports("avx512vl")) {
    EXPECT_STREQ(named, "SkylakeX");
  } else if (__builtin_cpu_supports("avx2")) {
    EXPECT_STREQ(named, "Haswell");
  } else {
    EXPECT_EQ(named, nullptr);
  }
}

}  // namespace
}  // namespace mustcite::dense
