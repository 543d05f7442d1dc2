// A sleep between write and read is no happens-before.
#include <chrono>
#include <thread>

#include "tests/support/case.h"

using namespace std::chrono_literals;

JOSTLE_CASE("race") {
  int data = 0;
  std::thread t([&] { data = 1; });
  std::this_thread::sleep_for(100ms);
  int seen = data;
  t.join();
  assert(seen == 0 || seen == 1);
}
