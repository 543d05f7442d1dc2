// The one that has tried often enough waits: nobody goes round in a circle.
#include <mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::mutex a, b;
  int done = 0;
  const auto work = [&](std::mutex& first, std::mutex& second) {
    for (int tried = 0;; ++tried) {
      first.lock();
      if (second.try_lock()) break;
      first.unlock();
      if (tried == 2) {  // in the one order that all agree on
        a.lock();
        b.lock();
        break;
      }
    }
    ++done;
    a.unlock();
    b.unlock();
  };
  std::thread t([&] { work(a, b); });
  work(b, a);
  t.join();
  assert(done == 2);
}
