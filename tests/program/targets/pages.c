// Memory that is there before main() and changes without being written to by the program: the
// kernel fills it, empties it, or takes it back. usage: pages fills|empties|gives-back FILE
#define _GNU_SOURCE
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { kSize = 64 << 10 };
static char buffer[kSize] __attribute__((aligned(4096)));
static char* block;
static char* mapping;

__attribute__((constructor)) static void begin(void) {
  memset(buffer, 'b', kSize);
  mapping = mmap(NULL, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memset(mapping, 'm', kSize);
  mallopt(M_MMAP_THRESHOLD, 16 << 20);
  block = malloc(4 << 20);
  memset(block, 'h', 4 << 20);
}

static int count(const char* from, size_t size, char what) {
  int n = 0;
  for (size_t i = 0; i < size; ++i) n += from[i] == what;
  return n;
}

static void* nothing(void* unused) { return unused; }

int main(int argc, char** argv) {
  if (argc < 3) return 1;
  pthread_t thread;
  pthread_create(&thread, NULL, nothing, NULL);
  pthread_join(thread, NULL);
  printf("%d b, %d m\n", count(buffer, kSize, 'b'), count(mapping, kSize, 'm'));
  if (strcmp(argv[1], "fills") == 0) {
    const int fd = open(argv[2], O_RDONLY);
    printf("%zd bytes\n", read(fd, buffer, kSize));
  }
  if (strcmp(argv[1], "empties") == 0) madvise(mapping, kSize, MADV_DONTNEED);
  if (strcmp(argv[1], "gives-back") == 0) {
    printf("%d h\n", count(block, 4 << 20, 'h'));
    free(block);
    malloc_trim(0);
  }
}
