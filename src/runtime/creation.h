// Threads and processes that a program creates by the system call itself. Jostle does not control
// them, nor are they in its way: whoever creates one stays controlled.
#pragma once

#include <sys/ucontext.h>

#include "runtime/system_model.h"

namespace jostle::creation {

bool is_call(long number);
// In a thread or process that gets a stack of its own, execution goes on behind the call, with the
// registers that it came with, if it was trapped and they are known. Otherwise this returns twice.
long call(const SystemCall& c, const greg_t* registers);

// In a process that was forked off and is to run by itself. 0: who its parent is does not show.
void run_free(int parent);
bool runs_free();
// There: its last thread has come to its end, and what it has printed is not lost. Of a test, the
// process has the body only: what its caller does next is the business of the one that forked.
[[noreturn]] void end_free_process(int status);

}  // namespace jostle::creation
