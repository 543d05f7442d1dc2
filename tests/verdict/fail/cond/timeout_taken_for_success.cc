// After a timed wait the code assumes the event happened.
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "tests/support/case.h"

using namespace std::chrono_literals;

JOSTLE_CASE("assertion") {
  std::mutex m;
  std::condition_variable c;
  bool ready = false;
  std::thread t([&] {
    std::lock_guard<std::mutex> lock(m);
    ready = true;
    c.notify_one();
  });
  {
    std::unique_lock<std::mutex> lock(m);
    if (!ready) c.wait_for(lock, 10000ms);
    assert(ready);
  }
  t.join();
}
