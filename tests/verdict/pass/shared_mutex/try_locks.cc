// try_lock and try_lock_shared fail while the lock is held in a conflicting way.
#include <shared_mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::shared_mutex m;
  m.lock_shared();
  std::thread t1([&] { assert(!m.try_lock()); });
  t1.join();
  m.unlock_shared();
  m.lock();
  std::thread t2([&] {
    assert(!m.try_lock());
    assert(!m.try_lock_shared());
  });
  t2.join();
  m.unlock();
}
