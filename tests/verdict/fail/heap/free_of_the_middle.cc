// The reader moves the pointer forward that the owner frees.
#include <atomic>
#include <cstdlib>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("heap") {
  std::atomic<char*> text{static_cast<char*>(std::calloc(100, 1))};
  std::thread reader([&] { text += 16; });
  std::thread owner([&] { std::free(text); });
  reader.join();
  owner.join();
}
