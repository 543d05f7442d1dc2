// The wake comes before the store, so a waiter can go to sleep in between.
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("deadlock") {
  std::atomic<int> word{0};
  std::thread t([&] {
    while (word.load() == 0) syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, nullptr);
  });
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1);
  word.store(1);
  t.join();
}
