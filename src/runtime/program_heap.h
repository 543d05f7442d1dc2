// The allocator that the program would have without Jostle: the C library's, that of a library such
// as jemalloc, or one that the program itself defines.
#pragma once

#include <cstddef>

namespace jostle {

struct ProgramHeap {
  void* (*malloc)(std::size_t);
  void (*free)(void*);
  void* (*calloc)(std::size_t, std::size_t);
  void* (*realloc)(void*, std::size_t);
  void* (*memalign)(std::size_t, std::size_t);
  void* (*aligned_alloc)(std::size_t, std::size_t);
  int (*posix_memalign)(void**, std::size_t, std::size_t);
  std::size_t (*usable_size)(void*);  // null: another allocator's, which knows nothing of these
  // Does it look like a block in use, as the C library's allocator would have left one? May crash
  // where no memory is. Null: another allocator's, whose blocks look otherwise.
  bool (*is_block)(const void*);
};

// May be called before any constructor has run.
const ProgramHeap& program_heap();

}  // namespace jostle
