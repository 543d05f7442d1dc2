// Producers and consumers share one condition variable: a signal can go to the wrong kind.
#include <condition_variable>
#include <mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("deadlock") {
  std::mutex m;
  std::condition_variable c;
  int slot = 0;
  auto produce = [&] {
    std::unique_lock<std::mutex> lock(m);
    while (slot != 0) c.wait(lock);
    slot = 1;
    c.notify_one();
  };
  auto consume = [&] {
    std::unique_lock<std::mutex> lock(m);
    while (slot == 0) c.wait(lock);
    slot = 0;
    c.notify_one();
  };
  std::thread p1(produce), p2(produce), c1(consume), c2(consume);
  p1.join();
  p2.join();
  c1.join();
  c2.join();
}
