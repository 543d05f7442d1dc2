// Each thread has a member and an element of its own, in one local variable.
#include <thread>

#include "tests/support/case.h"

namespace {

struct Statistics {
  int seen = 0;
  int dropped = 0;
  char marks[4] = {};
};

}  // namespace

JOSTLE_CASE("pass") {
  Statistics statistics;
  std::thread t([&] {
    statistics.dropped = 1;
    statistics.marks[1] = 1;
  });
  statistics.seen = 2;
  statistics.marks[2] = 2;
  t.join();
  assert(statistics.dropped == 1 && statistics.seen == 2);
  assert(statistics.marks[1] == 1 && statistics.marks[2] == 2);
}
