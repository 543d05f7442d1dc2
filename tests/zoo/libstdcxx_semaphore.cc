// libstdc++ bug 104928, still in GCC 12: an acquirer of std::counting_semaphore reads the counter
// before it spins and may sleep on that old value after it has become current again. Two threads
// and one unit are enough. The yields keep the holder busy while the other spins (16 times).
// HARD: the release must fall between the last spin and the sleep.
// RUN: executions=10000
#include <semaphore>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("deadlock") {
  std::binary_semaphore unit(1);
  auto work = [&] {
    unit.acquire();
    for (int i = 0; i < 4; ++i) std::this_thread::yield();
    unit.release();
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
}
