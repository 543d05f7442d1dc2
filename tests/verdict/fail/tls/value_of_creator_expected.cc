// The creator sets a thread_local and expects the new thread to see it.
#include <thread>

#include "tests/support/case.h"

namespace {

thread_local int setting = 0;

}  // namespace

JOSTLE_CASE("assertion") {
  setting = 1;
  std::thread t([] { assert(setting == 1); });
  t.join();
}
