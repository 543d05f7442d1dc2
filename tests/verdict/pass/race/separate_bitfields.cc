// A zero-width bit-field separates memory locations.
#include <thread>

#include "tests/support/case.h"

namespace {

struct Flags {
  unsigned a : 4;
  unsigned : 0;
  unsigned b : 4;
};

}  // namespace

JOSTLE_CASE("pass") {
  Flags f = {0, 0};
  std::thread t1([&] { f.a = 1; });
  std::thread t2([&] { f.b = 2; });
  t1.join();
  t2.join();
  assert(f.a == 1 && f.b == 2);
}
