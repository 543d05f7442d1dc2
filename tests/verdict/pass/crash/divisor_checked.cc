// The divisor is tested and used under the same lock.
#include <mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::mutex m;
  int divisor = 1;
  std::thread t([&] {
    std::lock_guard<std::mutex> lock(m);
    divisor = 0;
  });
  {
    std::lock_guard<std::mutex> lock(m);
    if (divisor != 0) assert(10 / divisor == 10);
  }
  t.join();
}
