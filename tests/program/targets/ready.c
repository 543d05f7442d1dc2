// A long start, and then the part that is executed again and again.
#include <assert.h>
#include <jostle/jostle.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int balance, started;

static void* deposit(void* unused) {
  pthread_mutex_lock(&mutex);
  const int seen = balance;
  pthread_mutex_unlock(&mutex);
  pthread_mutex_lock(&mutex);
  balance = seen + 1;
  pthread_mutex_unlock(&mutex);
  return unused;
}

__attribute__((noinline)) void serve(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, deposit, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(started == 1);
}

int main(int argc, char** argv) {
  ++started;
  // One byte for each start.
  if (write(3, "s", 1) != 1) started = 1;
  if (argc > 1 && strcmp(argv[1], "never") == 0) return 0;
  jostle_ready();
  serve();
  if (argc > 1 && strcmp(argv[1], "fail") == 0) assert(balance == 2);
  return 0;
}
