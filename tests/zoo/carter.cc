// SCTBench carter01_bad: the first of a group takes the group lock while it holds the counter
// lock, which the other group needs in order to leave.
#include <mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("deadlock") {
  std::mutex counters, room;
  int a = 0, b = 0;
  auto visit = [&](int& group) {
    counters.lock();
    if (++group == 1) room.lock();
    counters.unlock();
    counters.lock();
    if (--group == 0) room.unlock();
    counters.unlock();
  };
  std::thread t1([&] { visit(a); });
  std::thread t2([&] { visit(b); });
  t1.join();
  t2.join();
}
