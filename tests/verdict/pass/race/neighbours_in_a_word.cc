// Neighbouring bytes, shorts and array elements are different memory locations.
#include <thread>

#include "tests/support/case.h"

namespace {

struct Packed {
  char a = 0, b = 0;
  short c = 0;
  int d = 0;
};

}  // namespace

JOSTLE_CASE("pass") {
  Packed p;
  char bytes[4] = {0, 0, 0, 0};
  std::thread t1([&] {
    p.a = 1;
    p.c = 2;
    bytes[0] = 1;
    bytes[2] = 1;
  });
  std::thread t2([&] {
    p.b = 1;
    p.d = 2;
    bytes[1] = 1;
    bytes[3] = 1;
  });
  t1.join();
  t2.join();
  assert(p.a == 1 && p.b == 1 && p.c == 2 && p.d == 2);
  assert(bytes[0] + bytes[1] + bytes[2] + bytes[3] == 4);
}
