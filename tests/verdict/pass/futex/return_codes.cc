// FUTEX_WAIT: EAGAIN when the value differs, ETIMEDOUT when nobody wakes; FUTEX_WAKE of nobody: 0.
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <ctime>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::atomic<int> word{1};
  std::thread t([&] {
    errno = 0;
    assert(syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, nullptr) == -1 && errno == EAGAIN);
    timespec relative = {0, 2000000};
    long rc;
    do {
      errno = 0;
      rc = syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 1, &relative);
    } while (rc == 0 || errno == EINTR);
    assert(rc == -1 && errno == ETIMEDOUT);
    assert(syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, INT_MAX) == 0);
  });
  t.join();
}
