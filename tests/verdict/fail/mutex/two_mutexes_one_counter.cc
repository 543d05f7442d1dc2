// Each thread locks its own mutex, so the shared counter is not protected at all.
#include <mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("race") {
  std::mutex m[2];
  int counter = 0;
  auto work = [&](int i) {
    std::lock_guard<std::mutex> lock(m[i]);
    ++counter;
  };
  std::thread a(work, 0), b(work, 1);
  a.join();
  b.join();
}
