// FUTEX_WAIT_BITSET takes an absolute monotonic deadline and FUTEX_WAKE_BITSET selects by mask.
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <ctime>
#include <thread>

#include "tests/support/case.h"

namespace {

// Absolute time on `clock`, `ms` milliseconds from now.
timespec Deadline(clockid_t clock, long ms) {
  timespec t;
  clock_gettime(clock, &t);
  t.tv_nsec += ms * 1000000;
  t.tv_sec += t.tv_nsec / 1000000000;
  t.tv_nsec %= 1000000000;
  return t;
}

}  // namespace

JOSTLE_CASE("pass") {
  std::atomic<int> word{0};
  std::thread t([&] {
    timespec deadline = Deadline(CLOCK_MONOTONIC, 2);
    long rc;
    do {
      errno = 0;
      rc = syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, 0, &deadline, nullptr, 1);
    } while (rc == 0 || errno == EINTR);
    assert(rc == -1 && errno == ETIMEDOUT);
    errno = 0;
    rc = syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, 0, nullptr, nullptr, 0);
    assert(rc == -1 && errno == EINVAL);
  });
  long woken = syscall(SYS_futex, &word, FUTEX_WAKE_BITSET_PRIVATE, 1, nullptr, nullptr, 2);
  assert(woken == 0);
  t.join();
}
