// Which interleavings an execution has exposed, whatever strategy made it.
#pragma once

#include "cover/execution.h"
#include "cover/items.h"

namespace jostle::covering {

// iRoots. `window`: how far apart the two accesses of one thread may be, in accesses of that thread
// to what threads share. In idioms 2 to 4 T1 touches neither object between its two accesses; in 5
// neither thread does; in 6 both may. 4, 5 and 6 have two objects.
void observe_iroots(const Execution& e, std::uint32_t window, Items& out);

// Pairs of places that took the same lock in succession.
void observe_pairs(const Execution& e, Items& out);

}  // namespace jostle::covering
