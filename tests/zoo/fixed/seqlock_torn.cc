// seqlock_torn with the test for odd numbers, and a bounded number of retries.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::atomic<unsigned> seq{0};
  std::atomic<int> x{0}, y{0};
  std::thread writer([&] {
    for (int i = 1; i <= 2; ++i) {
      seq.fetch_add(1);
      x.store(i);
      y.store(i);
      seq.fetch_add(1);
    }
  });
  for (int attempt = 0; attempt < 5; ++attempt) {
    unsigned before = seq.load();
    int rx = x.load(), ry = y.load();
    if (before % 2 == 0 && seq.load() == before) {
      assert(rx == ry);
      break;
    }
    std::this_thread::yield();
  }
  writer.join();
}
