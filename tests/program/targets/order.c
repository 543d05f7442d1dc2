// The exit code and the output are functions of the order in which three threads got on. Most
// orders give 0: with the arguments one chooses how rare the others are.
// usage: order [ONE_OF [THREADS [TURNS]]]
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char order[100];
static int length, turns = 4;

static void* turn(void* name) {
  for (int i = 0; i < turns; ++i) {
    pthread_mutex_lock(&mutex);
    order[length++] = *(const char*)name;
    pthread_mutex_unlock(&mutex);
  }
  return NULL;
}

int main(int argc, char** argv) {
  const unsigned one_of = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
  const int count = argc > 2 ? atoi(argv[2]) : 3;
  if (argc > 3) turns = atoi(argv[3]);
  pthread_t threads[5];
  for (int i = 0; i < count; ++i) pthread_create(&threads[i], NULL, turn, (void*)&"abcde"[i]);
  for (int i = 0; i < count; ++i) pthread_join(threads[i], NULL);
  unsigned hash = 2166136261u;
  for (int i = 0; i < length; ++i) hash = (hash ^ (unsigned char)order[i]) * 16777619u;
  printf("%s\n", order);
  return hash % one_of == 0 ? (int)(1 + hash / one_of % 200) : 0;
}
