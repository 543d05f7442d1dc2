// Cache aside: the reader loads the old value, the writer updates and invalidates, and the reader
// then caches the old value for good.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("assertion") {
  std::atomic<int> database{1};
  std::atomic<int> cache{0};
  std::thread reader([&] {
    if (cache.load() == 0) cache.store(database.load());
  });
  database.store(2);
  cache.store(0);
  reader.join();
  assert(cache.load() == 0 || cache.load() == database.load());
}
