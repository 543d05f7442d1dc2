// An event without a state: whoever fires it before the other waits, fires it in vain.
#include <condition_variable>
#include <mutex>
#include <thread>

#include "tests/support/case.h"

namespace {

struct Event {
  std::mutex m;
  std::condition_variable c;
  void Fire() {
    std::lock_guard<std::mutex> lock(m);
    c.notify_all();
  }
  void Await() {
    std::unique_lock<std::mutex> lock(m);
    c.wait(lock);
  }
};

}  // namespace

JOSTLE_CASE("deadlock") {
  Event event;
  std::thread waiter([&] { event.Await(); });
  event.Fire();
  waiter.join();
}
