// A start latch and a done latch around plain data.
// CHECK: it has too many schedules to execute all of them here
#include <latch>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::latch start(1), done(2);
  int input = 0, output[2] = {0, 0};
  auto work = [&](int i) {
    start.wait();
    output[i] = input + i;
    done.count_down();
  };
  std::thread a(work, 0), b(work, 1);
  input = 10;
  start.count_down();
  done.wait();
  assert(output[0] == 10 && output[1] == 11);
  assert(done.try_wait());
  a.join();
  b.join();
}
