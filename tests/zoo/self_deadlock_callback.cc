// A listener called with the lock held unsubscribes itself, which takes the lock again; it does
// so only when the stop flag was already set.
#include <atomic>
#include <mutex>
#include <thread>

#include "tests/support/case.h"

namespace {

struct Subject {
  std::mutex m;
  int listeners = 1;
  void Unsubscribe() {
    std::lock_guard<std::mutex> lock(m);
    --listeners;
  }
  void Notify(const std::atomic<bool>& stopping) {
    std::lock_guard<std::mutex> lock(m);
    if (stopping.load()) Unsubscribe();
  }
};

}  // namespace

JOSTLE_CASE("deadlock") {
  Subject subject;
  std::atomic<bool> stopping{false};
  std::thread t([&] { subject.Notify(stopping); });
  stopping.store(true);
  t.join();
}
