// Any return of FUTEX_WAIT is taken for the event; a timeout is one too.
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <ctime>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("assertion") {
  std::atomic<int> word{0};
  std::thread t([&] {
    word.store(1);
    syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1);
  });
  timespec relative = {1, 0};
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &relative);
  int seen = word.load();
  t.join();
  assert(seen == 1);
}
