// The three-state mutex of "Futexes Are Tricky" (mutex2).
// CHECK: it has too many schedules to execute all of them here
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
    if (word_.compare_exchange_strong(c, 1)) return;
    if (c != 2) c = word_.exchange(2);
    while (c != 0) {
      syscall(SYS_futex, &word_, FUTEX_WAIT_PRIVATE, 2, nullptr);
      c = word_.exchange(2);
    }
  }
  void Unlock() {
    if (word_.fetch_sub(1) != 1) {
      word_.store(0);
      syscall(SYS_futex, &word_, FUTEX_WAKE_PRIVATE, 1);
    }
  }

 private:
  std::atomic<int> word_{0};
};

}  // namespace

JOSTLE_CASE("pass") {
  Mutex m;
  int counter = 0;
  auto work = [&] {
    for (int i = 0; i < 2; ++i) {
      m.Lock();
      ++counter;
      m.Unlock();
    }
  };
  std::thread a(work), b(work), c(work);
  a.join();
  b.join();
  c.join();
  assert(counter == 6);
}
