// Two threads that wait for each other by looking at a variable, which nobody sees.
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static volatile int turn, never;

static void* answer(void* unused) {
  for (int i = 0; i < 5; ++i) {
    while (turn != 1) continue;
    turn = 0;
  }
  return unused;
}

int main(int argc, char** argv) {
  pthread_t other;
  if (pthread_create(&other, NULL, answer, NULL) != 0) return 99;
  if (argc > 1 && strcmp(argv[1], "never") == 0)
    while (!never) continue;
  for (int i = 0; i < 5; ++i) {
    turn = 1;
    while (turn != 0) continue;
  }
  if (pthread_join(other, NULL) != 0) return 99;
  puts("five times");
  return 0;
}
