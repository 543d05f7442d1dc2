// A block is copied while another thread fills it.
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "tests/support/case.h"

JOSTLE_CASE("race") {
  volatile size_t size = 200;  // unknown to the compiler, so that it calls the functions
  std::vector<char> from(size, 0), to(size, 0);
  std::thread a([&] { memset(from.data(), 1, size); });
  memcpy(to.data(), from.data(), size);
  a.join();
}
