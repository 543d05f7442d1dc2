// singleton with std::call_once.
#include <mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::once_flag once;
  int* instance = nullptr;
  int object = 0, made = 0;
  auto get = [&] {
    std::call_once(once, [&] {
      ++made;
      instance = &object;
    });
    return instance;
  };
  std::thread a([&] { assert(get() == &object); });
  std::thread b([&] { assert(get() == &object); });
  a.join();
  b.join();
  assert(made == 1);
}
