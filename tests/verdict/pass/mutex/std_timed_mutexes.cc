// std::timed_mutex and std::recursive_timed_mutex: try_lock_for and try_lock_until give up on a
// mutex that stays locked, and recursion works for the owner.
#include <chrono>
#include <mutex>
#include <thread>

#include "tests/support/case.h"

using namespace std::chrono_literals;

JOSTLE_CASE("pass") {
  std::timed_mutex tm;
  std::recursive_timed_mutex rtm;
  tm.lock();
  rtm.lock();
  assert(rtm.try_lock_for(1ms));
  std::thread t([&] {
    auto start = std::chrono::steady_clock::now();
    assert(!tm.try_lock_for(3ms));
    assert(std::chrono::steady_clock::now() - start >= 3ms);
    assert(!rtm.try_lock_until(std::chrono::system_clock::now() + 3ms));
    assert(!tm.try_lock());
    assert(!rtm.try_lock());
  });
  t.join();
  tm.unlock();
  rtm.unlock();
  rtm.unlock();
}
