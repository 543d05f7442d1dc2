// Fewer context switches, then fewer steps, with the same failure.
#pragma once

#include "explore/executor.h"

namespace jostle::explore {

// Two executions failed in the same way: same kind, same place.
bool same_failure(const Problem& a, const Problem& b);

// Was it the end of the stack?
bool is_overflow(const Problem& p);

// The departures from the default schedule that a recorded execution took.
std::vector<Deviation> deviations_of(const Trace& trace);

struct Minimized {
  std::vector<Deviation> deviations;
  Trace trace;  // of an exact replay of them
  std::uint32_t attempts = 0;
};

// `trace` is a recorded execution that failed. The executor's assignment holds what it was
// executed with (promoted sites, profile); only its plan and steps are changed. No attempt is begun
// that would last beyond `until`; an interruption of the session ends it early.
Minimized minimize(const Session& session, Executor& executor, const Trace& trace,
                   std::uint32_t max_attempts, double until);

// For Trace::early_limit: executes `trace` once more, but lets another thread go on where the last
// limit passes early. Says nothing where later departures would then mean something else.
std::uint32_t decisive_limit(Executor& executor, const Trace& trace);

}  // namespace jostle::explore
