// std::shared_timed_mutex gives up after the time, or gets the lock and excludes.
#include <chrono>
#include <shared_mutex>
#include <thread>

#include "tests/support/case.h"

using namespace std::chrono_literals;

JOSTLE_CASE("pass") {
  std::shared_timed_mutex m;
  m.lock();
  std::thread t([&] {
    assert(!m.try_lock_shared_for(1ms));
    assert(!m.try_lock_for(1ms));
    assert(!m.try_lock_until(std::chrono::steady_clock::now() + 1ms));
  });
  t.join();
  m.unlock();
  int value = 0;
  std::thread u([&] {
    if (m.try_lock_for(1ms)) {
      ++value;
      m.unlock();
    }
  });
  m.lock();
  ++value;
  m.unlock();
  u.join();
  assert(value == 1 || value == 2);
}
