// Signalling after the unlock is as good, when the predicate changes under the mutex.
#include <condition_variable>
#include <mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::mutex m;
  std::condition_variable c;
  int items = 0, taken = 0;
  auto consume = [&] {
    std::unique_lock<std::mutex> lock(m);
    while (items == 0) c.wait(lock);
    --items;
    ++taken;
  };
  std::thread c1(consume), c2(consume);
  for (int i = 0; i < 2; ++i) {
    {
      std::lock_guard<std::mutex> lock(m);
      ++items;
    }
    c.notify_one();
  }
  c1.join();
  c2.join();
  assert(items == 0 && taken == 2);
}
