// A monitor whose methods call each other under std::recursive_mutex.
#include <mutex>
#include <thread>

#include "tests/support/case.h"

namespace {

struct Monitor {
  std::recursive_mutex m;
  int a = 0;
  int b = 0;
  void AddA() {
    std::lock_guard<std::recursive_mutex> lock(m);
    ++a;
  }
  void AddBoth() {
    std::lock_guard<std::recursive_mutex> lock(m);
    AddA();
    ++b;
    assert(a == b);
  }
};

}  // namespace

JOSTLE_CASE("pass") {
  Monitor monitor;
  std::thread t1([&] { monitor.AddBoth(); });
  std::thread t2([&] { monitor.AddBoth(); });
  monitor.AddBoth();
  t1.join();
  t2.join();
  assert(monitor.a == 3 && monitor.b == 3);
}
