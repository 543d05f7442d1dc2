// The data is written after the mutex is released, so the waiter's read races with it.
#include <condition_variable>
#include <mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("race") {
  std::mutex m;
  std::condition_variable c;
  bool ready = false;
  int data = 0, seen = 0;
  std::thread t([&] {
    std::unique_lock<std::mutex> lock(m);
    c.wait(lock, [&] { return ready; });
    seen = data;
  });
  {
    std::lock_guard<std::mutex> lock(m);
    ready = true;
    c.notify_one();
  }
  data = 1;
  t.join();
  assert(seen == 0 || seen == 1);
}
