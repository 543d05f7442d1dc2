// A path that unlocks twice: only when the flag was already set by the other thread.
#include <mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("misuse") {
  std::mutex m;
  bool done = false;
  auto work = [&] {
    m.lock();
    if (done) m.unlock();  // forgot the return
    done = true;
    m.unlock();
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
}
