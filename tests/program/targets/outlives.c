// The program ends while a thread goes on that nobody waits for.
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int ready, count;
static int* table;

static void wait_until_ready(void) {
  pthread_mutex_lock(&mutex);
  while (!ready) pthread_cond_wait(&condition, &mutex);
  pthread_mutex_unlock(&mutex);
}
static void set_ready(void) {
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&mutex);
}

// Nothing that main does comes after what allows it to go on.
static void* fails_late(void* unused) {
  wait_until_ready();
  abort();
  return unused;
}
static void* reads_late(void* unused) {
  wait_until_ready();
  count += table[0];
  return unused;
}
static void* works(void* unused) {
  wait_until_ready();
  __atomic_add_fetch(&count, 1, __ATOMIC_SEQ_CST);
  return unused;
}
static void* waits(void* unused) {
  for (;;) {
    wait_until_ready();
    pthread_mutex_lock(&mutex);
    ready = 0;
    pthread_mutex_unlock(&mutex);
  }
  return unused;
}
static void* sleeps(void* unused) {
  for (;;) {
    __atomic_add_fetch(&count, 1, __ATOMIC_SEQ_CST);
    usleep(1000);
  }
  return unused;
}
static void* spins(void* unused) {
  while (!__atomic_load_n(&count, __ATOMIC_SEQ_CST)) sched_yield();
  return unused;
}
static void* counts(void* unused) {
  for (;;) __atomic_add_fetch(&count, 1, __ATOMIC_SEQ_CST);
  return unused;
}

static void give_back(void) { free(table); }

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void* (*body)(void*);
  } kWays[] = {{"fails-late", fails_late}, {"reads-late", reads_late}, {"works", works},
               {"waits", waits},           {"sleeps", sleeps},         {"spins", spins},
               {"counts", counts}};
  table = calloc(4, sizeof *table);
  atexit(give_back);
  for (unsigned i = 0; i < sizeof kWays / sizeof *kWays; ++i)
    if (argc > 1 && !strcmp(argv[1], kWays[i].name)) {
      pthread_t t;
      assert(pthread_create(&t, NULL, kWays[i].body, NULL) == 0);
      pthread_detach(t);
    }
  set_ready();
  return 0;
}
