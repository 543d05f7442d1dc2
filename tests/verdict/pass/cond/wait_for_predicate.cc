// std::condition_variable::wait_for with a predicate returns what the predicate says.
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "tests/support/case.h"

using namespace std::chrono_literals;

JOSTLE_CASE("pass") {
  std::mutex m;
  std::condition_variable c;
  bool ready = false;
  std::thread t([&] {
    std::lock_guard<std::mutex> lock(m);
    ready = true;
    c.notify_all();
  });
  {
    std::unique_lock<std::mutex> lock(m);
    bool ok = c.wait_for(lock, 1ms, [&] { return ready; });
    assert(ok == ready);
    assert(!c.wait_for(lock, 1ms, [] { return false; }));
    auto deadline = std::chrono::system_clock::now() + 1ms;
    while (c.wait_until(lock, deadline) == std::cv_status::no_timeout) {
    }
    assert(std::chrono::system_clock::now() >= deadline);
  }
  t.join();
}
