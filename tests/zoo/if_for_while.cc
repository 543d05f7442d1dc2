// A queue's take() tests for empty with `if`: a second consumer steals the item between the
// notification and the wake-up. Known from Java's wait/notify tutorials.
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("assertion") {
  std::mutex m;
  std::condition_variable c;
  std::deque<int> queue;
  auto take = [&] {
    std::unique_lock<std::mutex> lock(m);
    if (queue.empty()) c.wait(lock);
    assert(!queue.empty());
    queue.pop_front();
  };
  std::thread a(take), b(take);
  for (int i = 0; i < 2; ++i) {
    std::lock_guard<std::mutex> lock(m);
    queue.push_back(i);
    c.notify_one();
  }
  a.join();
  b.join();
}
