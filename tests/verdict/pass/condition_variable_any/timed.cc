// wait_for without a signal times out with the lock held again; with one, the predicate decides.
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "tests/support/case.h"

using namespace std::chrono_literals;

JOSTLE_CASE("pass") {
  std::recursive_mutex m;
  std::condition_variable_any c;
  bool ready = false;
  std::thread t([&] {
    std::lock_guard<std::recursive_mutex> lock(m);
    ready = true;
    c.notify_one();
  });
  {
    std::unique_lock<std::recursive_mutex> lock(m);
    bool ok = c.wait_for(lock, 1ms, [&] { return ready; });
    assert(ok == ready);
    assert(!c.wait_for(lock, 1ms, [] { return false; }));
    assert(lock.owns_lock());
  }
  t.join();
}
