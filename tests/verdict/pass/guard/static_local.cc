// A function-local static: constructed once in the life of the process, seen complete by all.
#include <thread>

#include "tests/support/case.h"

namespace {

struct Config {
  int a = 0, b = 0;
  Config() {
    a = 1;
    std::this_thread::yield();
    b = 2;
  }
};
const Config& GetConfig() {
  static Config config;
  return config;
}

}  // namespace

JOSTLE_CASE("pass") {
  auto work = [] {
    const Config& c = GetConfig();
    assert(c.a == 1 && c.b == 2);
  };
  std::thread t1(work), t2(work), t3(work);
  t1.join();
  t2.join();
  t3.join();
}
