// A mutex is locked after it was destroyed.
#include <pthread.h>

#include "tests/support/case.h"

JOSTLE_CASE("misuse") {
  pthread_mutex_t m;
  pthread_mutex_init(&m, nullptr);
  pthread_mutex_destroy(&m);
  pthread_mutex_lock(&m);
}
