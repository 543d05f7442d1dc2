// A bounded buffer of one with two condition variables, two producers and one consumer.
#include <condition_variable>
#include <mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::mutex m;
  std::condition_variable not_full, not_empty;
  int slot = 0, sum = 0;
  auto produce = [&](int v) {
    std::unique_lock<std::mutex> lock(m);
    not_full.wait(lock, [&] { return slot == 0; });
    slot = v;
    not_empty.notify_one();
  };
  std::thread p1(produce, 1), p2(produce, 2);
  for (int i = 0; i < 2; ++i) {
    std::unique_lock<std::mutex> lock(m);
    not_empty.wait(lock, [&] { return slot != 0; });
    sum += slot;
    slot = 0;
    not_full.notify_one();
  }
  p1.join();
  p2.join();
  assert(sum == 3);
}
