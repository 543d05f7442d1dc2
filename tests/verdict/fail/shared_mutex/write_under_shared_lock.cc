// A lazily filled cache is written under the shared lock.
#include <shared_mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("race") {
  std::shared_mutex m;
  int cache = 0;
  auto get = [&] {
    std::shared_lock<std::shared_mutex> lock(m);
    if (cache == 0) cache = 42;
    return cache;
  };
  std::thread a([&] { assert(get() == 42); });
  std::thread b([&] { assert(get() == 42); });
  a.join();
  b.join();
}
