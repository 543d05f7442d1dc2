// event_counter_aba with the counter read before the queue.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::atomic<int> items{0}, events{0};
  std::thread worker([&] {
    for (;;) {
      int seen = events.load();
      if (items.load() != 0) break;
      events.wait(seen);
    }
  });
  items.store(1);
  events.fetch_add(1);
  events.notify_all();
  worker.join();
}
