// Both the owner and the watchdog join the same thread, one after the other: after the first join,
// the identity may belong to somebody else.
#include <pthread.h>

#include <mutex>
#include <thread>

#include "tests/support/case.h"

namespace {

void* Work(void*) { return nullptr; }

}  // namespace

JOSTLE_CASE("misuse") {
  pthread_t worker;
  std::mutex m;
  pthread_create(&worker, nullptr, Work, nullptr);
  std::thread watchdog([&] {
    std::lock_guard lock(m);
    pthread_join(worker, nullptr);
  });
  {
    std::lock_guard lock(m);
    pthread_join(worker, nullptr);
  }
  watchdog.join();
}
