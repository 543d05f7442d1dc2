// try_acquire_for gives up on an empty semaphore, and release(n) adds n.
#include <chrono>
#include <semaphore>
#include <thread>

#include "tests/support/case.h"

using namespace std::chrono_literals;

JOSTLE_CASE("pass") {
  std::counting_semaphore<8> s(0);
  std::thread t([&] {
    auto start = std::chrono::steady_clock::now();
    assert(!s.try_acquire());
    assert(!s.try_acquire_for(2ms));
    assert(std::chrono::steady_clock::now() - start >= 2ms);
    assert(!s.try_acquire_until(std::chrono::steady_clock::now() + 1ms));
    s.release(2);
    s.acquire();
    s.acquire();
    assert(!s.try_acquire());
  });
  t.join();
}
