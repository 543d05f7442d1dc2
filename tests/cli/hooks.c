/* Stands in for libjostle_program.so in tests of `jostle cc`: counts what the instrumentation
 * calls, and says so in the end. */
#include <stddef.h>
#include <stdio.h>

static unsigned long accesses, functions, blocks;

__attribute__((destructor)) static void report(void) {
  fprintf(stderr, "hooks: %s%s%s\n", accesses ? "accesses " : "", functions ? "functions " : "",
          blocks ? "blocks" : "");
}

void __tsan_init(void) {}
void __tsan_func_entry(void* pc) { (void)pc, ++functions; }
void __tsan_func_exit(void) {}

#define ACCESS(name) \
  void __tsan_##name(void* p) { (void)p, ++accesses; }
ACCESS(read1)
ACCESS(read2)
ACCESS(read4)
ACCESS(read8)
ACCESS(read16)
ACCESS(write1)
ACCESS(write2)
ACCESS(write4)
ACCESS(write8)
ACCESS(write16)
ACCESS(read_write1)
ACCESS(read_write2)
ACCESS(read_write4)
ACCESS(read_write8)
ACCESS(unaligned_read2)
ACCESS(unaligned_read4)
ACCESS(unaligned_read8)
ACCESS(unaligned_write2)
ACCESS(unaligned_write4)
ACCESS(unaligned_write8)
void __tsan_vptr_update(void** p, void* value) { (void)p, (void)value; }
void __tsan_vptr_read(void** p) { (void)p; }

void* __tsan_memcpy(void* to, const void* from, size_t n) {
  ++blocks;
  return __builtin_memcpy(to, from, n);
}
void* __tsan_memmove(void* to, const void* from, size_t n) {
  ++blocks;
  return __builtin_memmove(to, from, n);
}
void* __tsan_memset(void* to, int c, size_t n) {
  ++blocks;
  return __builtin_memset(to, c, n);
}
int jostle_memcmp(const void* a, const void* b, size_t n) { return __builtin_memcmp(a, b, n); }
size_t jostle_strlen(const char* s) { return __builtin_strlen(s); }
int jostle_strcmp(const char* a, const char* b) { return __builtin_strcmp(a, b); }
