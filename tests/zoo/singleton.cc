// A singleton without a lock: two threads find no instance and each make one.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("assertion") {
  std::atomic<int*> instance{nullptr};
  int pool[2] = {0, 0};
  std::atomic<int> made{0};
  auto get = [&] {
    if (instance.load() == nullptr) instance.store(&pool[made.fetch_add(1)]);
    return instance.load();
  };
  std::thread a([&] { get(); });
  std::thread b([&] { get(); });
  a.join();
  b.join();
  assert(made.load() == 1);
}
