// Descriptors of Jostle's own in a process that executes a whole program: programs close whatever
// is open, and must not close these.
#pragma once

#include "runtime/system_model.h"

namespace jostle::own_descriptors {

// At the start of each execution: those that are there already, out of the way of the program's.
void note();
// close() and its relatives, for all others.
long close(const SystemCall& c);

}  // namespace jostle::own_descriptors
