// The race is only a race when the lock is taken in the other order: in most executions the
// mutex happens to order the two accesses.
#include <mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("race") {
  std::mutex m;
  int data = 0;
  bool flag = false;
  std::thread a([&] {
    data = 1;
    std::lock_guard<std::mutex> lock(m);
    flag = true;
  });
  std::thread b([&] {
    {
      std::lock_guard<std::mutex> lock(m);
      bool seen = flag;
      (void)seen;
    }
    data = 2;
  });
  a.join();
  b.join();
}
