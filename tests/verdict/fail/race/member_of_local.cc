// Members of a local variable that other threads know: clang, left to itself, hooks few of the
// accesses that the function of the variable makes.
#include <thread>

#include "tests/support/case.h"

namespace {

struct Statistics {
  int seen = 0;
  int dropped = 0;
};

}  // namespace

JOSTLE_CASE("race") {
  Statistics statistics;
  std::thread t([&] { statistics.dropped = 1; });
  statistics.dropped = 2;
  t.join();
}
