// After SCTBench phase01_bad: each phase ends by taking the next phase's lock before releasing its
// own; with two phases running in opposite directions they meet.
#include <mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("deadlock") {
  std::mutex phase[3];
  auto forward = [&] {
    phase[0].lock();
    for (int i = 1; i < 3; ++i) {
      phase[i].lock();
      phase[i - 1].unlock();
    }
    phase[2].unlock();
  };
  auto backward = [&] {
    phase[2].lock();
    for (int i = 1; i >= 0; --i) {
      phase[i].lock();
      phase[i + 1].unlock();
    }
    phase[0].unlock();
  };
  std::thread a(forward), b(backward);
  a.join();
  b.join();
}
