// A store and a wake on one side, a re-checking wait on the other; data travels with the word.
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::atomic<int> word{0};
  int data = 0;
  std::thread t([&] {
    while (word.load(std::memory_order_acquire) == 0) {
      errno = 0;
      long rc = syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, nullptr);
      assert(rc == 0 || errno == EAGAIN || errno == EINTR);
    }
    assert(data == 42);
  });
  data = 42;
  word.store(1, std::memory_order_release);
  long woken = syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1);
  assert(woken == 0 || woken == 1);
  t.join();
}
