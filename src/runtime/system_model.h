// System calls of controlled threads that could make them wait.
#pragma once

#include <cstdint>
#include <ctime>

#include "sched/thread.h"

namespace jostle {

struct SystemCall {
  long number;
  long a[6];
  std::uint64_t pc;
};

// The result as the kernel would give it: a value, or a negative errno.
long model_system_call(Thread& t, const SystemCall& call);
long pass_system_call(const SystemCall& call);

// At the start of each execution: what the last one left is not its business.
void forget_system_state();

// Sleeps; 0, or EINTR with what is left of it in `left`, if that is not null.
int sleep_until(Thread& t, std::uint64_t until, timespec* left, std::uint64_t pc);

// Virtual time of an absolute point of one of the system's clocks, and back.
std::uint64_t virtual_deadline(int clock, std::uint64_t seconds, std::uint64_t nanoseconds);
std::uint64_t clock_value(int clock, std::uint64_t virtual_now);
// Does it show virtual time?
bool is_virtual(int clock);
// The error of a sleep by that clock; 0: it can be done.
int refuses_sleep(int clock);

}  // namespace jostle
