// Two threads set the same pointer; the destructor frees it for each.
#include <pthread.h>

#include <cstdlib>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("heap") {
  pthread_key_t key;
  pthread_key_create(&key, free);
  void* shared = malloc(16);
  auto work = [&] { pthread_setspecific(key, shared); };
  std::thread a(work), b(work);
  a.join();
  b.join();
  pthread_key_delete(key);
}
