// A key deleted before the thread ends has no destructor any more.
#include <pthread.h>
#include <semaphore.h>

#include <atomic>
#include <thread>

#include "tests/support/case.h"

namespace {

std::atomic<int> calls;
void Destroy(void*) { calls.fetch_add(1); }

}  // namespace

JOSTLE_CASE("pass") {
  calls = 0;
  pthread_key_t key;
  assert(pthread_key_create(&key, Destroy) == 0);
  sem_t set, deleted;
  assert(sem_init(&set, 0, 0) == 0);
  assert(sem_init(&deleted, 0, 0) == 0);
  char token;
  std::thread t([&] {
    assert(pthread_setspecific(key, &token) == 0);
    assert(sem_post(&set) == 0);
    assert(sem_wait(&deleted) == 0);
  });
  assert(sem_wait(&set) == 0);
  assert(pthread_key_delete(key) == 0);
  assert(sem_post(&deleted) == 0);
  t.join();
  assert(calls == 0);
}
