// What goes through pipes, sockets and event counters orders what was done before it with what is
// done by whoever takes it out.
#pragma once

#include "runtime/system_model.h"

namespace jostle::descriptors {

// Does a call with this number put something in, or take something out?
bool gives(long number);
bool takes(long number);

// Before the call: a scheduling point, as the operations of a lock have; others may see the effect
// of what is given as soon as the call is made.
void before_call(Thread& t, const SystemCall& call);
// It succeeded.
void after_call(Thread& t, const SystemCall& call);
// Between executions.
void forget();

}  // namespace jostle::descriptors
