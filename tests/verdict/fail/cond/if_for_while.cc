// Two consumers wake for one item each, but only test the predicate once.
#include <condition_variable>
#include <mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("assertion") {
  std::mutex m;
  std::condition_variable c;
  int items = 0;
  auto consume = [&] {
    std::unique_lock<std::mutex> lock(m);
    if (items == 0) c.wait(lock);
    assert(items > 0);
    --items;
  };
  std::thread c1(consume), c2(consume);
  for (int i = 0; i < 2; ++i) {
    std::lock_guard<std::mutex> lock(m);
    ++items;
    c.notify_all();
  }
  c1.join();
  c2.join();
}
