// Moving the one kernel thread from one stack and thread-control block to another.
#pragma once

#include <cstdint>

namespace jostle {

// Saves the caller's callee-saved state on its stack, stores the stack pointer to *save, takes
// over `load` and makes `fs` the thread pointer. Returns when somebody switches back.
using SwitchFunction = void (*)(void** save, void* load, std::uint64_t fs);
// wrfsbase where the machine has it, else arch_prctl.
SwitchFunction choose_switch();
bool has_fsgsbase();
std::uint64_t thread_pointer();

// A stack that, switched to, calls entry(); entry must not return.
void* make_context(char* top, void (*entry)());

}  // namespace jostle
