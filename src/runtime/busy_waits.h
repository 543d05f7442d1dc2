// Threads of whole programs that wait for another one by looking at memory again and again, in code
// that is not instrumented: they make no steps, and nobody else would ever run. When one has gone
// on like that for half of the time after which it would be reported, the others are let go on; at
// the same place again, soon. By real time, so that reports say that it was not controlled.
#pragma once

#include "sched/thread.h"

namespace jostle::busy_waits {

// Called by t, which was interrupted at `pc` outside of Jostle and has made no step for so many
// seconds. `limit`: after how many it will be reported. Returns when it is t's turn again.
void interrupted(Thread& t, std::uint64_t pc, double seconds, double limit);

// Has one been seen? Then it is worth looking more often.
bool seen();
// Does it lie in this library?
bool is_own_code(std::uint64_t pc);
// At the start of each execution.
void forget();

}  // namespace jostle::busy_waits
