// A thread_local object is constructed at first use in each thread and destroyed at its end.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

namespace {

std::atomic<int> constructed, destroyed;
struct Local {
  int value = 7;
  Local() { constructed.fetch_add(1); }
  ~Local() { destroyed.fetch_add(1); }
};
thread_local Local local;

}  // namespace

JOSTLE_CASE("pass") {
  constructed = 0;
  destroyed = 0;
  auto work = [](int v) {
    assert(local.value == 7);
    local.value = v;
    std::this_thread::yield();
    assert(local.value == v);
  };
  std::thread a(work, 1), b(work, 2);
  std::thread unused([] {});
  a.join();
  b.join();
  unused.join();
  assert(constructed == 2 && destroyed == 2);
}
