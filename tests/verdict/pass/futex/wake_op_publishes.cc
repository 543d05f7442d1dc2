// What was written before FUTEX_WAKE_OP is known to whoever sees the second word changed. Its
// operands have signs; both words' waiters are woken.
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::atomic<int> a{0}, b{-3};
  int data = 0;
  std::thread waits([&] { syscall(SYS_futex, &b, FUTEX_WAIT, -3, nullptr); });
  std::thread t([&] {
    data = 1;
    const long woken = syscall(SYS_futex, &a, FUTEX_WAKE_OP, 1, 1, &b,
                               FUTEX_OP(FUTEX_OP_ADD, 0xffe, FUTEX_OP_CMP_LT, 0xffe));
    assert(woken <= 1);
  });
  if (b.load() == -5) assert(data == 1);
  t.join();
  waits.join();
  assert(b.load() == -5);
}
