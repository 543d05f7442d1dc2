// A sequence lock whose reader forgets to reject odd (write in progress) sequence numbers.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("assertion") {
  std::atomic<unsigned> seq{0};
  std::atomic<int> x{0}, y{0};
  std::thread writer([&] {
    seq.fetch_add(1);
    x.store(1);
    y.store(1);
    seq.fetch_add(1);
  });
  unsigned before = seq.load();
  int rx = x.load(), ry = y.load();
  unsigned after = seq.load();
  writer.join();
  if (before == after) assert(rx == ry);
}
