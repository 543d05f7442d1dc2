// SCTBench wronglock_bad: one thread uses the lock of the data, the other its own.
#include <mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("assertion") {
  std::mutex data_lock, this_lock;
  int data = 0;
  auto add = [&](std::mutex& m) {
    std::lock_guard<std::mutex> lock(m);
    int copy = data;
    std::this_thread::yield();
    data = copy + 1;
  };
  std::thread a([&] { add(data_lock); });
  std::thread b([&] { add(this_lock); });
  a.join();
  b.join();
  assert(data == 2);
}
