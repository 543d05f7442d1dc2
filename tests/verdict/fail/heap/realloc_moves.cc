// One thread grows the buffer with realloc while the other keeps the old address.
#include <atomic>
#include <cstdlib>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("heap") {
  std::atomic<char*> buffer{static_cast<char*>(malloc(16))};
  void* neighbour = malloc(16);  // in the way of growing in place
  std::thread user([&] {
    char* p = buffer.load();
    std::this_thread::yield();
    p[0] = 1;
  });
  char* grown = static_cast<char*>(realloc(buffer.load(), 100000));
  buffer.store(grown);
  user.join();
  free(buffer.load());
  free(neighbour);
}
