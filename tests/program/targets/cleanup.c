// Cleanup handlers of C that come with a part that is cancelled only where it looks whether it is.
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(what)                                       \
  do {                                                    \
    if (!(what)) {                                        \
      printf("line %d: not true: %s\n", __LINE__, #what); \
      exit(3);                                            \
    }                                                     \
  } while (0)

static atomic_int cleaned;
static sem_t ready;

static void clean(void* by) { atomic_fetch_add(&cleaned, *(int*)by); }

static int type(void) {
  int now;
  CHECK(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &now) == 0);
  CHECK(pthread_setcanceltype(now, NULL) == 0);
  return now;
}

static void* work(void* unused) {
  static int one = 1, ten = 10, hundred = 100;
  (void)unused;
  CHECK(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL) == 0);
  pthread_cleanup_push_defer_np(clean, &one);
  CHECK(type() == PTHREAD_CANCEL_DEFERRED);
  pthread_cleanup_pop_restore_np(1);
  CHECK(type() == PTHREAD_CANCEL_ASYNCHRONOUS);
  CHECK(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, NULL) == 0);
  pthread_cleanup_push(clean, &ten);
  pthread_cleanup_push_defer_np(clean, &hundred);
  sem_post(&ready);
  for (;;) pthread_testcancel();
  pthread_cleanup_pop_restore_np(0);
  pthread_cleanup_pop(0);
  return NULL;
}

int main(void) {
  pthread_t t;
  void* result;
  CHECK(sem_init(&ready, 0, 0) == 0);
  CHECK(pthread_create(&t, NULL, work, NULL) == 0);
  CHECK(sem_wait(&ready) == 0);
  CHECK(pthread_cancel(t) == 0);
  CHECK(pthread_join(t, &result) == 0);
  CHECK(result == PTHREAD_CANCELED);
  CHECK(cleaned == 111);
  puts("cleaned up");
  return 0;
}
