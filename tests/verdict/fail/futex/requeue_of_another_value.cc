// FUTEX_CMP_REQUEUE looks whether the word is as expected: here it may still be.
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("assertion") {
  std::atomic<int> a{0}, b{0};
  bool changed = false;
  std::thread t([&] {
    changed = syscall(SYS_futex, &a, FUTEX_CMP_REQUEUE, 1, 1, &b, 0) == -1 && errno == EAGAIN;
  });
  a.store(1);
  t.join();
  assert(changed);
}
