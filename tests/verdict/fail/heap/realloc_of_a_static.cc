// The array grows with realloc() before it has been moved to the heap.
#include <cstdlib>
#include <mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("heap") {
  static int first[8];
  std::mutex mutex;
  int* array = first;
  std::thread mover([&] {
    std::lock_guard lock(mutex);
    if (array == first) array = static_cast<int*>(std::malloc(sizeof first));
  });
  std::thread grower([&] {
    std::lock_guard lock(mutex);
    array = static_cast<int*>(std::realloc(array, 2 * sizeof first));
  });
  mover.join();
  grower.join();
  std::free(array);
}
