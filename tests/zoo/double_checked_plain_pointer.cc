// Meyers and Alexandrescu's "DCLP is broken": the pointer tested outside the lock is plain. Under
// sequential consistency nothing goes wrong, so the race is the only symptom.
#include <mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("race") {
  std::mutex m;
  int object = 0;
  int* instance = nullptr;
  auto get = [&]() -> int* {
    if (instance == nullptr) {
      std::lock_guard<std::mutex> lock(m);
      if (instance == nullptr) {
        object = 42;
        instance = &object;
      }
    }
    return instance;
  };
  std::thread a([&] { assert(*get() == 42); });
  std::thread b([&] { assert(*get() == 42); });
  a.join();
  b.join();
}
