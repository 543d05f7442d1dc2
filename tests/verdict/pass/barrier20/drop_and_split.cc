// arrive_and_drop lowers the count for later phases; arrive and wait can be apart.
#include <barrier>
#include <thread>
#include <utility>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::barrier barrier(2);
  int data = 0;
  std::thread leaver([&] {
    data = 1;
    barrier.arrive_and_drop();
  });
  auto token = barrier.arrive();
  barrier.wait(std::move(token));
  assert(data == 1);
  barrier.arrive_and_wait();  // alone now
  leaver.join();
}
