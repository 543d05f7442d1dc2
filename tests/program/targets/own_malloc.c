// A program with an allocator of its own, as those have that link jemalloc or tcmalloc: every block
// that reaches its free() must be one of its own, and nobody else may use it between executions.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct head {
  size_t size;
  uint64_t state;
};
enum { kArena = 1 << 20 };
static const uint64_t kLive = 0x600d600d600d600d;
static char arena[kArena] __attribute__((aligned(4096)));
static size_t used;
static unsigned taken, given_back;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void* take(size_t alignment, size_t size) {
  if (alignment < sizeof(struct head)) alignment = sizeof(struct head);
  pthread_mutex_lock(&lock);
  const uintptr_t at =
      ((uintptr_t)arena + used + sizeof(struct head) + alignment - 1) & ~(alignment - 1);
  const size_t end = at + size - (uintptr_t)arena;
  const int fits = end <= kArena;
  if (fits) used = end, ++taken;
  pthread_mutex_unlock(&lock);
  if (!fits) return NULL;
  struct head* h = (struct head*)at - 1;
  *h = (struct head){size, kLive};
  return (void*)at;
}

void* malloc(size_t size) { return take(0, size); }
void* memalign(size_t alignment, size_t size) { return take(alignment, size); }
void* aligned_alloc(size_t alignment, size_t size) { return take(alignment, size); }
int posix_memalign(void** out, size_t alignment, size_t size) {
  return (*out = take(alignment, size)) ? 0 : ENOMEM;
}
void free(void* block) {
  if (!block) return;
  struct head* h = (struct head*)block - 1;
  if ((char*)block < arena || (char*)block >= arena + kArena || h->state != kLive) _exit(8);
  h->state = 0;
  pthread_mutex_lock(&lock);
  ++given_back;
  pthread_mutex_unlock(&lock);
}
void* calloc(size_t n, size_t size) {
  void* block = malloc(n * size);
  // Not memset: the compiler would see calloc, and call it.
  for (volatile char* c = block; c && c < (char*)block + n * size; ++c) *c = 0;
  return block;
}
void* realloc(void* old, size_t size) {
  void* block = malloc(size);
  if (!old || !block) return block;
  const size_t had = ((struct head*)old - 1)->size;
  memcpy(block, old, had < size ? had : size);
  free(old);
  return block;
}

static void* work(void* name) {
  // By the C library, and by this program.
  char *copy = strdup(name), *text = NULL;
  if (asprintf(&text, "%s and more", copy) < 0) abort();
  text = realloc(text, 100);
  if (strncmp(text, copy, strlen(copy)) != 0) abort();
  free(copy);
  free(text);
  return NULL;
}

int main(int argc, char** argv) {
  (void)argv;
  const size_t start = used;
  const unsigned before[2] = {taken, given_back};
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, "text");
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  // A thread of the C library costs blocks, too; one of Jostle's has been made before.
  if (given_back - before[1] < 6) abort();
  // The same in every execution, or somebody else has used this heap.
  if (argc > 1) printf("%zu bytes, %u blocks\n", used - start, taken - before[0]);
  return 0;
}
