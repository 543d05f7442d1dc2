// A hazard pointer set without looking again: the object can be retired between reading the
// pointer and publishing the hazard.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("heap") {
  std::atomic<int*> current{new int(1)};
  std::atomic<int*> hazard{nullptr};
  std::thread reader([&] {
    int* p = current.load();
    hazard.store(p);  // must re-read current here
    if (p) {
      volatile int v = *p;
      (void)v;
    }
    hazard.store(nullptr);
  });
  int* old = current.exchange(nullptr);
  bool freed = hazard.load() != old;
  if (freed) delete old;
  reader.join();
  if (!freed) delete old;
}
