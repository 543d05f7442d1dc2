// What a user's first test looks like.
#include <gtest/gtest.h>

#include <jostle/gtest.hpp>
#include <jostle/jostle.hpp>
#include <mutex>
#include <thread>

TEST(Consumer, GuardedCounter) {
  jostle::Result r = jostle::run([] {
    int counter = 0;
    std::mutex mutex;
    auto increment = [&] {
      std::lock_guard lock(mutex);
      ++counter;
    };
    std::thread first(increment);
    std::thread second(increment);
    first.join();
    second.join();
    EXPECT_EQ(counter, 2);
  });
  EXPECT_TRUE(r.ok()) << r.report;
}
