// Walking the calling thread's stack, often: a systematic search looks at it each time that a
// thread comes back to a place, and libgcc's unwinder reads the same tables anew for each frame.
// Here, what .eh_frame says of a place is kept; who wants to throw is still libgcc's business.
#pragma once

#include <cstdint>

#include "base/types.h"

namespace jostle {

// A call that has not returned, and the registers that it finds when those further in have.
struct CallFrame {
  std::uint64_t pc;  // where they return to; 0: the stack ends here
  bool interrupted;  // not by a call but by a signal: the instruction at pc has not been executed
  Address sp;
  std::uint64_t rbx, rbp, r12, r13, r14, r15;
};

// From the caller on outwards, as long as `take` wants more. The last one is where nothing is known
// of what comes further out. Any number of threads may walk at a time; nothing is allocated but
// memory for what is kept, the first time.
void walk_frames(bool (*take)(const CallFrame& frame, void* argument), void* argument);

template <class F>
void walk_frames(F f) {
  walk_frames([](const CallFrame& frame, void* p) { return (*static_cast<F*>(p))(frame); }, &f);
}

}  // namespace jostle
