// notify_before_wait with a state.
#include <condition_variable>
#include <mutex>
#include <thread>

#include "tests/support/case.h"

namespace {

struct Event {
  std::mutex m;
  std::condition_variable c;
  bool fired = false;
  void Fire() {
    std::lock_guard<std::mutex> lock(m);
    fired = true;
    c.notify_all();
  }
  void Await() {
    std::unique_lock<std::mutex> lock(m);
    c.wait(lock, [&] { return fired; });
  }
};

}  // namespace

JOSTLE_CASE("pass") {
  Event event;
  std::thread waiter([&] { event.Await(); });
  event.Fire();
  waiter.join();
}
