// condition_variable_any waits with a shared_lock, the writer notifies.
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::shared_mutex m;
  std::condition_variable_any c;
  int value = 0;
  auto wait = [&] {
    std::shared_lock<std::shared_mutex> lock(m);
    c.wait(lock, [&] { return value != 0; });
    assert(value == 1);
  };
  std::thread a(wait), b(wait);
  {
    std::unique_lock<std::shared_mutex> lock(m);
    value = 1;
  }
  c.notify_all();
  a.join();
  b.join();
}
