// Jostle in Catch2: explore inside a TEST_CASE and check the result. In the body, which other
// threads execute too, JOSTLE_ASSERT takes the place of REQUIRE: Catch2's own checks are for one
// thread only.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#include <jostle/jostle.hpp>
#include <mutex>
#include <thread>

TEST_CASE("two increments are two") {
  const jostle::Result r = jostle::run(
      [] {
        std::mutex mutex;
        int counter = 0;
        auto increment = [&] {
          std::lock_guard lock(mutex);
          ++counter;
        };
        std::thread other(increment);
        increment();
        other.join();
        JOSTLE_ASSERT(counter == 2);
      },
      {.name = "two increments are two"});
  CHECK(r.ok());
}
