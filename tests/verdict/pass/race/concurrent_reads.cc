// Reads do not race with reads.
#include <thread>
#include <vector>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::vector<int> data = {1, 2, 3, 4};
  auto sum = [&] {
    int s = 0;
    for (int v : data) s += v;
    assert(s == 10);
  };
  std::thread a(sum), b(sum);
  sum();
  a.join();
  b.join();
}
