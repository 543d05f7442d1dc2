// The search over a whole program, in the process that is it.
#pragma once

#include "explore/session.h"

namespace jostle::explore {

// Call it as the host of start_executions_here(): the calling process executes nothing itself.
// `shares`: forked processes would share something that executions change; then they are started
// anew instead.
Result run_program(const Options& options, const Surroundings& surroundings, bool shares);

// The same for a program that takes part in an execution that another one has begun: see
// runtime/family.h.
[[noreturn]] void take_part(const Options& options);

}  // namespace jostle::explore
