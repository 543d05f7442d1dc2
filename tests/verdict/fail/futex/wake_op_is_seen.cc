// FUTEX_WAKE_OP changes the second word, which others look at.
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("assertion") {
  std::atomic<int> a{0}, b{0};
  std::thread t([&] {
    syscall(SYS_futex, &a, FUTEX_WAKE_OP, 1, 1, &b, FUTEX_OP(FUTEX_OP_SET, 1, FUTEX_OP_CMP_EQ, 99));
  });
  const int seen = b.load();
  t.join();
  assert(seen == 0);
}
