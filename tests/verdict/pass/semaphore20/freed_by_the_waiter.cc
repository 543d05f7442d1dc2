// Whoever waits may free the semaphore as soon as it was released.
#include <semaphore>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  auto* s = new std::binary_semaphore(0);
  std::thread releaser([=] { s->release(); });
  s->acquire();
  delete s;
  releaser.join();
}
