// Jostle in Catch2 (version 2).
#define CATCH_CONFIG_MAIN
#include <atomic>
#include <catch2/catch.hpp>
#include <jostle/jostle.hpp>
#include <thread>

namespace {

jostle::Result explore(bool broken, const char* name) {
  return jostle::run(
      [broken] {
        std::atomic<int> n{0};
        auto work = [&] {
          if (broken)
            n.store(n.load() + 1);
          else
            n.fetch_add(1);
        };
        std::thread a(work), b(work);
        a.join();
        b.join();
        JOSTLE_ASSERT(n == 2);
      },
      // Jostle prints the report itself: Catch2 would break its lines, the command to paste too.
      {.executions = 1000, .name = name});
}

}  // namespace

TEST_CASE("fixed counter") {
  const jostle::Result r = explore(false, "fixed counter");
  REQUIRE(r.ok());
}

TEST_CASE("broken counter") {
  const jostle::Result r = explore(true, "broken counter");
  REQUIRE(r.ok());
}

TEST_CASE("sections", "[sections]") {
  SECTION("one") { CHECK(explore(false, "one").ok()); }
  SECTION("two") { CHECK(explore(false, "two").ok()); }
}
