// Two waiters, one item, one notify_all, and an if.
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("assertion") {
  std::shared_mutex m;
  std::condition_variable_any c;
  int items = 0;
  auto take = [&] {
    std::unique_lock<std::shared_mutex> lock(m);
    if (items == 0) c.wait(lock);
    assert(items > 0);
    --items;
  };
  std::thread a(take), b(take);
  for (int i = 0; i < 2; ++i) {
    std::unique_lock<std::shared_mutex> lock(m);
    ++items;
    c.notify_all();
  }
  a.join();
  b.join();
}
