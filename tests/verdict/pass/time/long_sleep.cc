// A thread sleeps for a day: time is virtual, so the execution ends at once.
#include <chrono>
#include <mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::mutex m;
  int work_done = 0;
  std::thread sleeper([&] {
    std::this_thread::sleep_for(std::chrono::hours(24));
    std::lock_guard<std::mutex> lock(m);
    ++work_done;
  });
  {
    std::lock_guard<std::mutex> lock(m);
    ++work_done;
  }
  sleeper.join();
  assert(work_done == 2);
}
