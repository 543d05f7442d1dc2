// A per-thread cache is filled once and misses the update made by another thread.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

namespace {

thread_local int cache;

}  // namespace

JOSTLE_CASE("assertion") {
  std::atomic<int> setting{1};
  std::atomic<int> version{0};
  std::thread t([&] {
    cache = setting.load();
    if (version.load() == 1) assert(cache == 2);
  });
  setting.store(2);
  version.store(1);
  t.join();
}
