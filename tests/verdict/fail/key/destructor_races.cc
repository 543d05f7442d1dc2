// The destructors of two threads add to a plain counter.
#include <pthread.h>

#include <thread>

#include "tests/support/case.h"

namespace {

int total;
void Destroy(void*) { ++total; }

}  // namespace

JOSTLE_CASE("race") {
  total = 0;
  pthread_key_t key;
  pthread_key_create(&key, Destroy);
  char token;
  auto work = [&] { pthread_setspecific(key, &token); };
  std::thread a(work), b(work);
  a.join();
  b.join();
  pthread_key_delete(key);
}
