// thread_local destructors of two threads update a plain total.
#include <thread>

#include "tests/support/case.h"

namespace {

int total;
struct Local {
  int value = 0;
  ~Local() { total += value; }
};
thread_local Local local;

}  // namespace

JOSTLE_CASE("race") {
  total = 0;
  auto work = [] { local.value = 1; };
  std::thread a(work), b(work);
  a.join();
  b.join();
}
