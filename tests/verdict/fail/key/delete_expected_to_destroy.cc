// The key is deleted while a thread still has a value: its destructor may never run.
#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <thread>

#include "tests/support/case.h"

namespace {

std::atomic<int> calls;
void Destroy(void*) { calls.fetch_add(1); }

}  // namespace

JOSTLE_CASE("assertion") {
  calls = 0;
  pthread_key_t key;
  pthread_key_create(&key, Destroy);
  std::atomic<bool> set{false};
  char token;
  std::thread t([&] {
    pthread_setspecific(key, &token);
    set.store(true);
  });
  while (!set.load()) sched_yield();
  pthread_key_delete(key);
  t.join();
  assert(calls == 1);
}
