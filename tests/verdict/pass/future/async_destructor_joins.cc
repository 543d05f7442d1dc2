// The destructor of a future from std::async waits for the function.
#include <future>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  int done = 0;
  {
    auto f = std::async(std::launch::async, [&] {
      std::this_thread::yield();
      done = 1;
    });
  }
  assert(done == 1);
}
