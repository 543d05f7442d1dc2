// The code believes that the completion function always runs in thread 0.
#include <atomic>
#include <barrier>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("assertion") {
  std::atomic<int> completed_by{-1};
  thread_local int id = -1;
  auto complete = [&]() noexcept { completed_by.store(id); };
  std::barrier barrier(2, complete);
  auto work = [&](int me) {
    id = me;
    barrier.arrive_and_wait();
  };
  std::thread a(work, 0), b(work, 1);
  a.join();
  b.join();
  assert(completed_by.load() == 0);
}
