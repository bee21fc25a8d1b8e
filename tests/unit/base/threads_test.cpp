#include "core/base/threads.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <stdexcept>
#include <vector>

#include "core/base/error.hpp"
#include "testing/child.hpp"

namespace mustcite {
namespace {

TEST(ParallelFor, DoesEveryItemOnce) {
  for (const std::size_t threads : {0U, 1U, 2U, 7U}) {
    for (const std::size_t count : {0U, 1U, 5U, 10000U}) {
      std::vector<std::atomic<int>> done(count);
      parallel_for(count, threads, [&](std::size_t item, std::size_t) { ++done[item]; });
      for (const auto& times : done) EXPECT_EQ(times.load(), 1);
    }
  }
}

TEST(ParallelFor, NamesWorkersBelowTheNumberOfThreads) {
  std::atomic<std::size_t> highest{0};
  parallel_for(1000, 3, [&](std::size_t, std::size_t worker) {
    std::size_t seen = highest;
    while (worker > seen && !highest.compare_exchange_weak(seen, worker)) {
    }
  });
  EXPECT_LT(highest.load(), 3U);
}

TEST(ParallelFor, RethrowsTheFirstExceptionAndStops) {
  for (const std::size_t threads : {1U, 4U}) {
    std::atomic<std::size_t> done{0};
    const auto work = [&](std::size_t item, std::size_t) {
      if (item == 10) throw std::runtime_error("item 10");
      ++done;
    };
    try {
      parallel_for(10000000, threads, work);
      ADD_FAILURE() << "no exception";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "item 10");
    }
    EXPECT_LT(done.load(), 10000000U);
  }
}

TEST(AvailableCores, IsAtLeastOne) {
  EXPECT_GE(available_cores(), 1U);
}

TEST(Interrupts, FirstSignalAsksSecondKills) {
  EXPECT_EQ(testing::in_child([] {
              catch_interrupts();
              stop_if_interrupted();
              std::raise(SIGINT);
              if (!interrupt_requested()) return 1;
              stop_if_interrupted();
              return 2;
            }),
            testing::refusal(ErrorCode::interrupted));
  EXPECT_EQ(testing::in_child([] {
              catch_interrupts();
              std::raise(SIGINT);
              std::raise(SIGINT);
              return 0;
            }),
            128 + SIGINT);
}

}  // namespace
}  // namespace mustcite
