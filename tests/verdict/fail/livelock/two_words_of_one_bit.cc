// Locks made of compare-exchange, taken in opposite order, and given back if the second is taken.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("livelock") {
  std::atomic<int> words[2] = {0, 0};
  const auto take = [](std::atomic<int>& word) {
    int expected = 0;
    return word.compare_exchange_strong(expected, 1);
  };
  const auto work = [&](int me) {
    for (;;) {
      while (!take(words[me])) std::this_thread::yield();
      if (take(words[1 - me])) break;
      words[me] = 0;
    }
    words[0] = 0;
    words[1] = 0;
  };
  std::thread a(work, 0), b(work, 1);
  a.join();
  b.join();
}
