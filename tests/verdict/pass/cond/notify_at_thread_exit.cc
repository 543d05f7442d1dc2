// std::notify_all_at_thread_exit unlocks and notifies when the thread ends.
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::mutex m;
  std::condition_variable c;
  int value = 0;
  std::thread t([&] {
    std::unique_lock<std::mutex> lock(m);
    value = 7;
    std::notify_all_at_thread_exit(c, std::move(lock));
  });
  {
    std::unique_lock<std::mutex> lock(m);
    c.wait(lock, [&] { return value != 0; });
    assert(value == 7);
  }
  t.join();
}
