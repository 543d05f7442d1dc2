// wait returns when the value has changed; plain data goes with it.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::atomic<int> state{0};
  int data = 0;
  std::thread t([&] {
    state.wait(0);
    assert(state.load() == 1);
    assert(data == 42);
  });
  data = 42;
  state.store(1);
  state.notify_one();
  t.join();
}
