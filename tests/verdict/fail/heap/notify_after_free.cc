// A condition variable is signalled after its owner has freed it.
#include <condition_variable>
#include <mutex>
#include <thread>

#include "tests/support/case.h"

namespace {

struct Latch {
  std::mutex mutex;
  std::condition_variable changed;
  bool open = false;
  void Open() {
    {
      std::lock_guard lock(mutex);
      open = true;
    }
    changed.notify_all();  // the waiter may be gone by now, and the latch with it
  }
  void Wait() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return open; });
  }
};

}  // namespace

JOSTLE_CASE("heap") {
  auto* latch = new Latch;
  std::thread opener([=] { latch->Open(); });
  latch->Wait();
  delete latch;
  opener.join();
}
