// Threads start threads; the creator's earlier writes are visible to them, theirs to the joiner.
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  int value = 1;
  std::thread outer([&] {
    assert(value == 1);
    value = 2;
    std::thread inner([&] {
      assert(value == 2);
      value = 3;
    });
    inner.join();
    assert(value == 3);
    value = 4;
  });
  outer.join();
  assert(value == 4);
}
