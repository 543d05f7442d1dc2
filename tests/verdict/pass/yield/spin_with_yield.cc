// Spinning on a flag with a yield in the loop ends, because the setter gets to run.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::atomic<bool> ready{false};
  int data = 0;
  std::thread t([&] {
    data = 1;
    ready.store(true);
  });
  while (!ready.load()) std::this_thread::yield();
  assert(data == 1);
  t.join();
}
