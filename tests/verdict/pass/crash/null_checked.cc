// The pointer is read once and tested before it is used.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  int value = 1;
  std::atomic<int*> pointer{&value};
  std::thread t([&] { pointer.store(nullptr); });
  if (int* p = pointer.load()) assert(*p == 1);
  t.join();
}
