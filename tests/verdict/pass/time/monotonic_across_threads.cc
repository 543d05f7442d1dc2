// The steady clock never goes back, also when the readings come from different threads.
#include <chrono>
#include <mutex>
#include <thread>

#include "tests/support/case.h"

using namespace std::chrono_literals;

JOSTLE_CASE("pass") {
  std::mutex m;
  auto last = std::chrono::steady_clock::now();
  auto work = [&] {
    for (int i = 0; i < 3; ++i) {
      {
        std::lock_guard<std::mutex> lock(m);
        auto now = std::chrono::steady_clock::now();
        assert(now >= last);
        last = now;
      }
      std::this_thread::sleep_for(1ms);
    }
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
}
