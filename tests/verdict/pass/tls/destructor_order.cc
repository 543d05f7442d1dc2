// thread_local destructors run in reverse order, before the destructors of pthread keys.
#include <pthread.h>

#include <thread>

#include "tests/support/case.h"

namespace {

struct Log {
  int entries[3];
  int n = 0;
};
Log* current;
struct First {
  ~First() { current->entries[current->n++] = 1; }
};
struct Second {
  ~Second() { current->entries[current->n++] = 2; }
};
thread_local First first;
thread_local Second second;
void KeyDestructor(void*) { current->entries[current->n++] = 3; }

}  // namespace

JOSTLE_CASE("pass") {
  Log log;
  current = &log;
  pthread_key_t key;
  assert(pthread_key_create(&key, KeyDestructor) == 0);
  std::thread t([&] {
    (void)&first;
    (void)&second;
    assert(pthread_setspecific(key, &log) == 0);
  });
  t.join();
  assert(log.n == 3);
  assert(log.entries[0] == 2 && log.entries[1] == 1 && log.entries[2] == 3);
  assert(pthread_key_delete(key) == 0);
}
