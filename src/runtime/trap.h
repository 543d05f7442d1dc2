// Syscall User Dispatch: system calls made by the C library's own code (stdio locks, sleeps,
// anything without an interposer) arrive here as SIGSYS while a controlled thread runs. Those
// that wait become modelled waits; the others are carried out.
#pragma once

namespace jostle {

inline constexpr char kTrapOff = 0, kTrapOn = 1;

// Arms the trap for the calling kernel thread; `selector` then turns it on and off. False where
// the kernel has no such thing: then what bypasses the interposers is not seen.
bool arm_trap(char* selector);
// Installs the SIGSYS handler once.
void install_trap_handler();

}  // namespace jostle
