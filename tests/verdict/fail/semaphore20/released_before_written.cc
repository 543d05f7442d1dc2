// The unit is released before the data is written.
#include <semaphore>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("race") {
  std::binary_semaphore s(0);
  int data = 0;
  std::thread t([&] {
    s.release();
    data = 1;
  });
  s.acquire();
  int seen = data;
  t.join();
  assert(seen == 0 || seen == 1);
}
