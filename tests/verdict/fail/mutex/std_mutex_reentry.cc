// A method that locks calls another that locks, but only on the path where the list was empty.
#include <mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("deadlock") {
  std::mutex m;
  int size = 0;
  auto refill = [&] {
    std::lock_guard<std::mutex> lock(m);
    size += 2;
  };
  auto take = [&] {
    std::lock_guard<std::mutex> lock(m);
    if (size == 0) refill();
    --size;
  };
  std::thread a(refill), b(take);
  a.join();
  b.join();
}
