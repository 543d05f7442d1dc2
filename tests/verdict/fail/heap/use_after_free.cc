// One thread frees what the other still reads, unless the reader is quick.
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("heap") {
  auto* object = new int(42);
  std::thread reader([object] {
    volatile int v = *object;
    (void)v;
  });
  delete object;
  reader.join();
}
