// Between giving up the shared lock and getting the exclusive one the world changes.
#include <mutex>
#include <shared_mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("assertion") {
  std::shared_mutex m;
  int owner = 0;
  auto claim = [&](int me) {
    {
      std::shared_lock<std::shared_mutex> lock(m);
      if (owner != 0) return;
    }
    std::unique_lock<std::shared_mutex> lock(m);
    assert(owner == 0);
    owner = me;
  };
  std::thread a(claim, 1), b(claim, 2);
  a.join();
  b.join();
}
