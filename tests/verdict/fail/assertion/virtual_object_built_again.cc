// A constructor stores the address of the virtual functions where an earlier execution has left the
// same one: it is a step all the same, or no fresh process could repeat the schedule.
// RUN: preempt=all seed=2
#include <atomic>
#include <new>
#include <thread>

#include "tests/support/case.h"

namespace {

struct One {
  [[gnu::noinline]] One() {}
  virtual int one() { return 1; }
};

alignas(One) char place[3][sizeof(One)];

[[gnu::noinline]] int CallThrough(One& o) { return o.one(); }

}  // namespace

JOSTLE_CASE("assertion") {
  std::atomic<int> count{0};
  const auto increment = [&](int i) {
    const int before = count.load();
    const int one = CallThrough(*new (place[i]) One);
    count.store(before + one);
  };
  std::thread a(increment, 0), b(increment, 1), c(increment, 2);
  a.join();
  b.join();
  c.join();
  assert(count.load() != 1);
}
