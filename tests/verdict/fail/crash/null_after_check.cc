// The pointer is tested, then read again: null in between.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("crash") {
  int value = 1;
  std::atomic<int*> pointer{&value};
  std::thread t([&] { pointer.store(nullptr); });
  if (pointer.load() != nullptr) {
    volatile int* p = pointer.load();
    *p = 2;
  }
  t.join();
}
