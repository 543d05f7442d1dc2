// One flag's function calls another flag, always in the same order.
#include <mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::once_flag outer, inner;
  int log = 0, system = 0;
  auto init_log = [&] { ++log; };
  auto init_system = [&] {
    std::call_once(inner, init_log);
    assert(log == 1);
    ++system;
  };
  std::thread a([&] {
    std::call_once(outer, init_system);
    assert(system == 1);
  });
  std::thread b([&] {
    std::call_once(inner, init_log);
    std::call_once(outer, init_system);
    assert(log == 1 && system == 1);
  });
  a.join();
  b.join();
}
