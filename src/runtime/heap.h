#pragma once

namespace jostle {

// Gives a block back to the C library's allocator.
void heap_release(void* block);

}  // namespace jostle
