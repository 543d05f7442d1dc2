// Of two waiters FUTEX_CMP_REQUEUE wakes one and moves the other to the second word.
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::atomic<int> a{0}, b{0};
  auto wait = [&] {
    while (a.load() == 0) syscall(SYS_futex, &a, FUTEX_WAIT, 0, nullptr);
  };
  std::thread t(wait), u(wait);
  a = 1;
  const long done = syscall(SYS_futex, &a, FUTEX_CMP_REQUEUE, 1, 1, &b, 1);
  assert(done >= 0 && done <= 2);
  assert(syscall(SYS_futex, &b, FUTEX_WAKE, 2) == (done == 2 ? 1 : 0));
  t.join();
  u.join();
  assert(syscall(SYS_futex, &a, FUTEX_REQUEUE, 1, 1, &b, 0) == 0);
}
