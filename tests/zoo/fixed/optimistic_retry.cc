// optimistic_retry with the version read first.
#include <atomic>
#include <mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::mutex m;
  std::atomic<int> value{0}, version{0};
  auto increment = [&] {
    for (;;) {
      int seen = version.load();
      int v = value.load();
      std::lock_guard<std::mutex> lock(m);
      if (version.load() != seen) continue;
      value.store(v + 1);
      version.store(seen + 1);
      return;
    }
  };
  std::thread a(increment), b(increment);
  a.join();
  b.join();
  assert(value.load() == 2);
}
