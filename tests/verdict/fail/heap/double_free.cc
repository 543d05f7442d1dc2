// Both threads see the pointer and free it.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("heap") {
  std::atomic<int*> pointer{new int(1)};
  auto cleanup = [&] {
    if (int* p = pointer.load()) {
      pointer.store(nullptr);
      delete p;
    }
  };
  std::thread a(cleanup), b(cleanup);
  a.join();
  b.join();
}
