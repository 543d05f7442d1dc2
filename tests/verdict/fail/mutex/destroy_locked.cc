// pthread_mutex_destroy on a mutex that its creator still holds.
#include <pthread.h>

#include "tests/support/case.h"

JOSTLE_CASE("misuse") {
  pthread_mutex_t m;
  pthread_mutex_init(&m, nullptr);
  pthread_mutex_lock(&m);
  pthread_mutex_destroy(&m);
}
