// hazard_pointer with the second look.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::atomic<int*> current{new int(1)};
  std::atomic<int*> hazard{nullptr};
  std::thread reader([&] {
    int* p = current.load();
    hazard.store(p);
    if (p && current.load() == p) assert(*p == 1);
    hazard.store(nullptr);
  });
  int* old = current.exchange(nullptr);
  bool freed = hazard.load() != old;
  if (freed) delete old;
  reader.join();
  if (!freed) delete old;
}
