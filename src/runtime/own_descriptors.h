// Descriptors of Jostle's own in a process that executes a whole program: programs close whatever
// is open, and must not close these.
#pragma once

#include "runtime/system_model.h"

namespace jostle::own_descriptors {

inline constexpr int kFirst = 700;  // out of the way of the program's

// At the start of each execution: those that are there already, out of the way of the program's.
void note();
// One that was made later, or is there no more.
void add(long fd);
void remove(long fd);
// close() and its relatives, for all others.
long close(const SystemCall& c);

}  // namespace jostle::own_descriptors
