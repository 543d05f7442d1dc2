// The init routine calls pthread_once on its own control.
#include <pthread.h>

#include <thread>

#include "tests/support/case.h"

namespace {

pthread_once_t once;
void Nothing() {}
void Init() { pthread_once(&once, Nothing); }

}  // namespace

JOSTLE_CASE("deadlock") {
  once = PTHREAD_ONCE_INIT;
  std::thread t([] { pthread_once(&once, Init); });
  t.join();
}
