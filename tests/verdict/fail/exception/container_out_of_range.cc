// The size is tested without the lock; at() throws when the element is gone.
#include <mutex>
#include <thread>
#include <vector>

#include "tests/support/case.h"

JOSTLE_CASE("exception") {
  std::mutex m;
  std::vector<int> items = {1};
  auto take = [&] {
    m.lock();
    bool empty = items.empty();
    m.unlock();
    if (empty) return;
    std::lock_guard<std::mutex> lock(m);
    (void)items.at(0);
    items.pop_back();
  };
  std::thread a(take), b(take);
  a.join();
  b.join();
}
