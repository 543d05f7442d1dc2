// Memory that was given back to the system and comes again, for another thread, is new: so are the
// locks in it.
#include <pthread.h>
#include <sys/mman.h>

#include <new>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  const auto work = [] {
    void* p = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert(p != MAP_FAILED);
    auto* const m = new (p) pthread_mutex_t(PTHREAD_MUTEX_INITIALIZER);
    assert(pthread_mutex_lock(m) == 0);
    auto* const at = reinterpret_cast<int*>(m + 1);
    for (int i = 0; i < 10; ++i) at[i] = i;
    assert(at[3] == 3);
    assert(munmap(p, 4096) == 0);
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
}
