// Memory and a pipe that a constructor makes, and that processes forked later would share.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static int* g_count;
static int g_ends[2];

__attribute__((constructor)) static void begin(void) {
  g_count = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert(pipe(g_ends) == 0 && write(g_ends[1], "x", 1) == 1);
}

static pthread_mutex_t g_mutex = PTHREAD_MUTEX_INITIALIZER;

static int get(void) {
  pthread_mutex_lock(&g_mutex);
  int n = *g_count;
  pthread_mutex_unlock(&g_mutex);
  return n;
}
static void set(int n) {
  pthread_mutex_lock(&g_mutex);
  *g_count = n;
  pthread_mutex_unlock(&g_mutex);
}
static void* add(void* unused) {
  __atomic_add_fetch(g_count, 1, __ATOMIC_SEQ_CST);
  return unused;
}
static void* add_wrongly(void* unused) {
  set(get() + 1);
  return unused;
}

int main(int argc, char** argv) {
  (void)argv;
  void* (*body)(void*) = argc > 1 ? add_wrongly : add;
  pthread_t thread;
  pthread_create(&thread, 0, body, 0);
  body(0);
  pthread_join(thread, 0);
  char c;
  assert(read(g_ends[0], &c, 1) == 1);
  assert(*g_count == 2);
  printf("%d\n", *g_count);
  return 0;
}
