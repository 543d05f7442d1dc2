// Where the executions of a whole program start: in the middle of a call on the process's first
// thread, with its stack, its thread-local variables and its identity.
#pragma once

#include "runtime/carrier.h"

namespace jostle {

// Sets the calling thread aside. `host(argument)` goes on in its place, on a stack of its own, and
// must not return. Every execution that the engine makes from then on, in this process or in one
// forked from it, makes this call return, as thread T0 of that execution.
void start_executions_here(void (*host)(void*), void* argument);

// Threads of this process, whoever made them.
std::uint32_t threads_here();

// What carries T0 of a whole program; null where executions call a function instead.
Carrier* start_carrier();

// To be called before libc registers its own exit handlers: executions end quickly then.
void expect_exit();
// A thread adds to what happens at the end of a whole program, or begins it. What is done before
// the one is ordered with what is done after the other.
void use_exit_handlers(Thread& t, std::uint64_t pc);
// exit() for a main() that has returned.
[[noreturn]] void exit_after_main(int status);

}  // namespace jostle
