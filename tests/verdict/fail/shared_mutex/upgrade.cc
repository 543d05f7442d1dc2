// Two readers both wait to become the writer.
#include <mutex>
#include <shared_mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("deadlock") {
  std::shared_mutex a, b;
  auto work = [](std::shared_mutex* mine, std::shared_mutex* other) {
    std::shared_lock<std::shared_mutex> read(*mine);
    std::unique_lock<std::shared_mutex> write(*other);
  };
  std::thread t1(work, &a, &b), t2(work, &b, &a);
  t1.join();
  t2.join();
}
