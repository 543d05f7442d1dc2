// if_for_while with the while.
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::mutex m;
  std::condition_variable c;
  std::deque<int> queue;
  auto take = [&] {
    std::unique_lock<std::mutex> lock(m);
    while (queue.empty()) c.wait(lock);
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
  assert(queue.empty());
}
