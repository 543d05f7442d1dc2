// The memory accesses that an interruption tore apart.
#pragma once

#include <cstddef>

#include "report/view.h"

namespace jostle::report {

inline constexpr std::size_t kNoEvent = ~std::size_t{0};

// Indices of events on overlapping memory; kNoEvent where there is none.
//   first, between, last   the interrupted thread's access, another thread's, and the next one
//                          of the interrupted thread, such that no serial order explains them
//   between, last          another thread's access came before the interrupted thread's
//   first, between         the interrupted thread never came back to the memory
struct Conflict {
  std::size_t first = kNoEvent, between = kNoEvent, last = kNoEvent;
  bool found() const { return between != kNoEvent; }
};

// `victim` was interrupted just before event number `at`. The most telling form is preferred,
// then the one that completes first after the interruption. Looks at most 20 000 events to
// either side: a cause farther away would explain nothing.
Conflict torn_apart(const Trace& t, ThreadId victim, std::size_t at);

}  // namespace jostle::report
