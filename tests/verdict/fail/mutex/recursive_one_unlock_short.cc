// A recursive mutex is locked twice and unlocked once; the other thread never gets in.
#include <mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("deadlock") {
  std::recursive_mutex m;
  std::thread t([&] {
    m.lock();
    m.lock();
    m.unlock();
  });
  t.join();
  m.lock();
  m.unlock();
}
