// What is said of objects that are used against their rules.
#include <pthread.h>

#include "tests/runtime/support.h"

using namespace jostle_test;

namespace {

TEST(Misuse, BarrierThatWasNeverInitialised) {
  const auto r = jostle::run(
      [] {
        pthread_barrier_t b;
        pthread_barrier_wait(&b);
      },
      quick(3));
  ASSERT_EQ(r.findings.size(), 1u);
  EXPECT_EQ(r.findings[0].message, "a barrier is used that was not initialised in this execution");
}

TEST(Misuse, BarrierThatWasDestroyed) {
  const auto r = jostle::run(
      [] {
        pthread_barrier_t b;
        pthread_barrier_init(&b, nullptr, 1);
        pthread_barrier_destroy(&b);
        pthread_barrier_wait(&b);
      },
      quick(3));
  ASSERT_EQ(r.findings.size(), 1u);
  EXPECT_EQ(r.findings[0].message, "a barrier is used that was destroyed");
}

}  // namespace
