// In a process that has become another program: what it records, and what it reports, speaks of
// files instead of addresses. See events/files.h.
#pragma once

#include "events/outcome.h"
#include "sched/recorder.h"

namespace jostle::foreign_trace {

// From now on, as the process of that number.
void start(std::uint32_t process);
// Is this such a process?
bool is_on();

std::uint64_t place(std::uint64_t pc);
Address data(Address a);
void translate(Problem& p);
// What was recorded since the last call; or only passes over that, which others have recorded.
void translate(Recorder& r);
void pass_over(Recorder& r);

}  // namespace jostle::foreign_trace
