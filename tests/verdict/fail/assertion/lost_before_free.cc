// Where every access is a scheduling point, so is free(), in the search and when it is repeated.
// RUN: preempt=all seed=2
#include <atomic>
#include <thread>

#include "tests/support/case.h"

namespace {

[[gnu::noipa]] int* Boxed(int value) { return new int(value); }

}  // namespace

JOSTLE_CASE("assertion") {
  std::atomic<int> count{0};
  const auto increment = [&] {
    int* before = Boxed(count.load());
    const int next = *before + 1;
    delete before;
    count.store(next);
  };
  std::thread a(increment), b(increment), c(increment);
  a.join();
  b.join();
  c.join();
  assert(count.load() != 1);
}
