// A heap for Jostle itself in a whole program: whatever is allocated while no controlled thread
// runs comes from here, so that the program's own heap is at the start of every execution exactly
// what it was at the start point.
#pragma once

#include <cstddef>

namespace jostle::own_heap {

// From now on; never off again.
void start();
bool started();
bool has(const void* block);
void* allocate(std::size_t size, std::size_t alignment = 16);
void release(void* block);
std::size_t size(const void* block);

}  // namespace jostle::own_heap
