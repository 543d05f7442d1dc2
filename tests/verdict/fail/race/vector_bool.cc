// Two elements of a vector<bool> share a word.
#include <thread>
#include <vector>

#include "tests/support/case.h"

JOSTLE_CASE("race") {
  std::vector<bool> bits(8, false);
  std::thread t1([&] { bits[1] = true; });
  std::thread t2([&] { bits[2] = true; });
  t1.join();
  t2.join();
}
