// Each takes one lock, tries the other one, and gives back the first: in step, for ever.
#include <mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("livelock") {
  std::mutex forks[2];
  const auto dine = [&](int me) {
    for (;;) {
      std::lock_guard left(forks[me]);
      if (forks[1 - me].try_lock()) break;
    }
    forks[1 - me].unlock();
  };
  std::thread a(dine, 0), b(dine, 1);
  a.join();
  b.join();
}
