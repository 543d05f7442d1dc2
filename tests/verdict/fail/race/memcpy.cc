// A block is copied while another thread fills it.
#include <cstring>
#include <thread>
#include <vector>

#include "tests/support/case.h"

JOSTLE_CASE("race") {
  std::vector<char> from(200, 0), to(200, 0);
  std::thread a([&] { memset(from.data(), 1, from.size()); });
  memcpy(to.data(), from.data(), to.size());
  a.join();
}
