// The code believes that a started thread has done its work by the time create returns.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("assertion") {
  std::atomic<int> state{0};
  std::thread t([&] { state.store(1); });
  int seen = state.load();
  t.join();
  assert(seen == 1);
}
