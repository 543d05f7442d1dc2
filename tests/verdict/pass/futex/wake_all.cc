// One wake of INT_MAX releases every waiter; it never counts more than there are.
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <thread>
#include <vector>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::atomic<int> word{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      while (word.load() == 0) syscall(SYS_futex, &word, FUTEX_WAIT, 0, nullptr);
    });
  }
  word.store(1);
  long woken = syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX);
  assert(woken >= 0 && woken <= 3);
  for (auto& t : threads) t.join();
}
