// condition_variable_any::wait with a stop token wakes up on the stop request.
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::mutex m;
  std::condition_variable_any c;
  bool predicate = false;
  std::atomic<bool> interrupted{false};
  {
    std::jthread t([&](std::stop_token stop) {
      std::unique_lock<std::mutex> lock(m);
      bool ok = c.wait(lock, stop, [&] { return predicate; });
      assert(!ok);
      assert(stop.stop_requested());
      interrupted.store(true);
    });
  }
  assert(interrupted.load());
}
