// A worker sleeps until the event counter differs from the one it saw, but reads it after it has
// found the queue empty: an item posted in between is slept through.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("deadlock") {
  std::atomic<int> items{0}, events{0};
  std::thread worker([&] {
    while (items.load() == 0) {
      int seen = events.load();
      events.wait(seen);
    }
  });
  items.store(1);
  events.fetch_add(1);
  events.notify_all();
  worker.join();
}
