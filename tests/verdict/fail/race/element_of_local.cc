// As member_of_local.cc, for elements of an array: the slots of two threads overlap by one.
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("assertion") {
  int slots[4] = {};
  auto fill = [&](int first) {
    for (int i = first; i < first + 2; ++i) slots[i] += 1;
  };
  std::thread t([&] { fill(1); });
  slots[2] += 1;
  slots[3] += 1;
  t.join();
  assert(slots[1] + slots[2] + slots[3] == 4);
}
