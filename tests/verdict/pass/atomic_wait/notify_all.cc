// notify_all releases three waiters of a bool (a type that is not a futex word).
// CHECK: it has too many schedules to execute all of them here
#include <atomic>
#include <thread>
#include <vector>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::atomic<bool> open{false};
  std::atomic<int> through{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      open.wait(false);
      through.fetch_add(1);
    });
  }
  open.store(true);
  open.notify_all();
  for (auto& t : threads) t.join();
  assert(through.load() == 3);
}
