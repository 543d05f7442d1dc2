// A start that leaves a byte at descriptor 3, and a function with arguments of several kinds.
#include <pthread.h>
#include <unistd.h>

static void* nothing(void* unused) { return unused; }

__attribute__((noinline)) double serve(int a, double b, const char* c) {
  pthread_t thread;
  pthread_create(&thread, NULL, nothing, NULL);
  pthread_join(thread, NULL);
  return a + b + c[0];
}

int main(void) {
  if (write(3, "s", 1) != 1) return 2;
  return serve(1, 2.5, "a") == 1 + 2.5 + 'a' ? 0 : 1;
}
