// A number is taken for the pointer that it becomes later.
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("heap") {
  std::atomic<std::uintptr_t> handle{0x10000};
  std::thread opens([&] { handle = reinterpret_cast<std::uintptr_t>(std::malloc(8)); });
  std::thread closes([&] { std::free(reinterpret_cast<void*>(handle.load())); });
  opens.join();
  closes.join();
}
