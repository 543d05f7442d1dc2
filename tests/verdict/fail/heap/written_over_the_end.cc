// Two threads append to a block that has room for one: what comes behind it is written over.
// RUN: isolation=fork
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("heap") {
  std::atomic<int> used{0};
  char* block = static_cast<char*>(std::malloc(40));
  char* behind = static_cast<char*>(std::malloc(40));
  auto append = [&] {
    if (used > 20) return;
    std::memset(block + used.fetch_add(24), 'x', 24);
  };
  std::thread a(append), b(append);
  a.join();
  b.join();
  std::free(block);
  std::free(behind);
}
