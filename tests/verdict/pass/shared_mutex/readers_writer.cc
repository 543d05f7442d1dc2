// shared_lock and unique_lock on a std::shared_mutex: readers together, the writer alone.
#include <mutex>
#include <shared_mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::shared_mutex m;
  int x = 0, y = 0;
  auto read = [&] {
    std::shared_lock<std::shared_mutex> lock(m);
    assert(x == y);
  };
  std::thread r1(read), r2(read);
  std::thread w([&] {
    std::unique_lock<std::shared_mutex> lock(m);
    ++x;
    ++y;
  });
  r1.join();
  r2.join();
  w.join();
}
