// Names for plain numbers that travel between layers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace jostle {

using ThreadId = std::uint16_t;  // index in creation order within one execution
using Site = std::uint32_t;      // code location: see events/site.h
using Address = std::uint64_t;   // raw address: never leaves one execution

inline constexpr ThreadId kNoThread = 0xffff;
inline constexpr std::uint32_t kMaxThreads = 1024;  // per execution

#define JOSTLE_LIKELY(x) __builtin_expect(!!(x), 1)
#define JOSTLE_UNLIKELY(x) __builtin_expect(!!(x), 0)

}  // namespace jostle
