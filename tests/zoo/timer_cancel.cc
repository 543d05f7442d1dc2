// Cancelling a timer frees it unless it is marked as running; the timer thread marks it a moment
// after it has decided to fire.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

namespace {

struct Timer {
  std::atomic<bool> armed{true}, running{false};
  int fired = 0;
};

}  // namespace

JOSTLE_CASE("heap") {
  auto* timer = new Timer;
  bool freed = false;
  std::thread clock([timer] {
    if (!timer->armed.exchange(false)) return;
    timer->running.store(true);
    ++timer->fired;
    timer->running.store(false);
  });
  std::thread cancel([&, timer] {
    timer->armed.store(false);
    if (!timer->running.load()) {
      delete timer;
      freed = true;
    }
  });
  clock.join();
  cancel.join();
  if (!freed) delete timer;
}
