// Two waiters and a wake of one.
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("deadlock") {
  std::atomic<int> word{0};
  auto wait = [&] {
    while (word.load() == 0) syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, nullptr);
  };
  std::thread a(wait), b(wait);
  word.store(1);
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1);
  a.join();
  b.join();
}
