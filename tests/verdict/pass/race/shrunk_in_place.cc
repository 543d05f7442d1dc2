// Memory that is shrunk where it lies keeps what is in it: the lock stays taken.
#include <pthread.h>
#include <sys/mman.h>

#include <cerrno>
#include <new>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  void* p = mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert(p != MAP_FAILED);
  auto* const m = new (p) pthread_mutex_t(PTHREAD_MUTEX_INITIALIZER);
  assert(pthread_mutex_lock(m) == 0);
  assert(mremap(p, 8192, 4096, 0) == p);
  std::thread t([m] { assert(pthread_mutex_trylock(m) == EBUSY); });
  t.join();
  assert(pthread_mutex_unlock(m) == 0);
  assert(munmap(p, 4096) == 0);
}
