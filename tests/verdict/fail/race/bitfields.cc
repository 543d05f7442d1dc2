// Adjacent bit-fields are one memory location.
#include <thread>

#include "tests/support/case.h"

namespace {

struct Flags {
  unsigned a : 4;
  unsigned b : 4;
};

}  // namespace

JOSTLE_CASE("race") {
  Flags f = {0, 0};
  std::thread t1([&] { f.a = 1; });
  std::thread t2([&] { f.b = 1; });
  t1.join();
  t2.join();
}
