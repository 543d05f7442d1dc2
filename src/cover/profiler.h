// Predicts from executions that were made which iRoots others could expose: Maple, section 3.
//
// One pass over the accesses of an execution. Each object has a history of accesses per thread,
// with vector clocks of what orders threads other than locks (so that A=>B is not predicted where B
// comes before A in any case) and annotated locksets (so that it is not where a critical section
// keeps others from coming between). An access is compared with those of the other threads when its
// thread touches the object again or the execution ends: only then it is known whether it was the
// last in its critical sections. Histories are condensed: accesses that no prediction could tell
// apart are one entry, and nothing is compared again for them. Objects of one thread never get here
// (see Execution), and the histories of an execution are dropped at its end.
//
// Deviations from the paper: entries are condensed without the number of the critical section,
// which only serves to find the first and last bits; and reader locks are no mutual exclusion.
#pragma once

#include "cover/execution.h"
#include "cover/observer.h"

namespace jostle::covering {

// `window` as in observe_iroots().
void predict_iroots(const Execution& e, std::uint32_t window, Items& out);

// Estimates the synchronization pairs that executions could show, by the acceptance conditions AC1
// to AC4. A next or previous lock action that is not there accepts. Threads are ordered by their
// creation, as in the paper, and by joins.
void estimate_pairs(const AccessRecord* records, std::size_t count, Items& out);

}  // namespace jostle::covering
