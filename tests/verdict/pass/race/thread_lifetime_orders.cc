// Creation orders before, join orders after: a chain of threads shares one plain variable.
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  int value = 0;
  for (int i = 0; i < 4; ++i) {
    std::thread t([&, i] {
      assert(value == i);
      ++value;
    });
    t.join();
  }
  assert(value == 4);
}
