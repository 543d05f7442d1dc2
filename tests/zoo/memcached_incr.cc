// memcached issue 127: incr takes the item lock for the get and again for the set; two
// increments make one.
#include <mutex>
#include <thread>

#include "tests/support/case.h"

namespace {

struct Cache {
  std::mutex m;
  int value = 0;
  int Get() {
    std::lock_guard<std::mutex> lock(m);
    return value;
  }
  void Set(int v) {
    std::lock_guard<std::mutex> lock(m);
    value = v;
  }
};

}  // namespace

JOSTLE_CASE("assertion") {
  Cache cache;
  auto incr = [&] { cache.Set(cache.Get() + 1); };
  std::thread a(incr), b(incr);
  a.join();
  b.join();
  assert(cache.value == 2);
}
