// Memory that is used densely and at random: in large pages it takes fewer faults, and misses the
// processor's table of pages less often.
#pragma once

#include <sys/mman.h>

#include <cerrno>
#include <cstddef>

namespace jostle {

// Where the system has none, nothing changes.
inline void prefer_large_pages(void* p, std::size_t bytes) {
  const int error = errno;  // a hook may be on its way to somebody who reads it
  ::madvise(p, bytes, MADV_HUGEPAGE);
  errno = error;
}

}  // namespace jostle
