// A futex mutex whose slow path takes the lock with 1 instead of 2 forgets that others wait.
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "tests/support/case.h"

namespace {

class Mutex {
 public:
  void Lock() {
    int c = 0;
    while (!word_.compare_exchange_strong(c, 1)) {  // must stay 2 after having waited
      if (c == 2 || word_.compare_exchange_strong(c, 2)) {
        syscall(SYS_futex, &word_, FUTEX_WAIT_PRIVATE, 2, nullptr);
      }
      c = 0;
    }
  }
  void Unlock() {
    if (word_.exchange(0) == 2) syscall(SYS_futex, &word_, FUTEX_WAKE_PRIVATE, 1);
  }

 private:
  std::atomic<int> word_{0};
};

}  // namespace

JOSTLE_CASE("deadlock") {
  Mutex m;
  auto work = [&] {
    m.Lock();
    m.Unlock();
  };
  std::thread a(work), b(work), c(work);
  a.join();
  b.join();
  c.join();
}
