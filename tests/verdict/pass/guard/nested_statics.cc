// Local statics that depend on each other without a cycle, reached from two sides.
#include <thread>

#include "tests/support/case.h"

namespace {

int& Inner() {
  static int inner = [] {
    std::this_thread::yield();
    return 1;
  }();
  return inner;
}
int& Outer() {
  static int outer = Inner() + 1;
  return outer;
}

}  // namespace

JOSTLE_CASE("pass") {
  std::thread t1([] { assert(Outer() == 2); });
  std::thread t2([] { assert(Inner() == 1); });
  t1.join();
  t2.join();
}
