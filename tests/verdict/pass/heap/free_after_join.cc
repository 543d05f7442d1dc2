// Memory of every kind is freed after the last user is joined.
#include <cstdlib>
#include <cstring>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  auto* array = new int[4]();
  auto* block = static_cast<char*>(malloc(32));
  std::thread t([&] {
    for (int i = 0; i < 4; ++i) array[i] = i;
    memset(block, 1, 32);
  });
  t.join();
  assert(array[3] == 3 && block[31] == 1);
  delete[] array;
  free(block);
}
