// SCTBench queue_bad: the head index is advanced in one critical section and the element read in
// another, so two consumers read the same or a wrong element.
#include <atomic>
#include <mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("assertion") {
  std::mutex m;
  int items[2] = {10, 20};
  int head = 0;
  std::atomic<int> sum{0};
  auto dequeue = [&] {
    m.lock();
    int value = items[head];
    m.unlock();
    m.lock();
    ++head;
    m.unlock();
    sum.fetch_add(value);
  };
  std::thread a(dequeue), b(dequeue);
  a.join();
  b.join();
  assert(sum.load() == 30);
}
