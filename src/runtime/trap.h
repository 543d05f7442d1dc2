// Syscall User Dispatch: system calls made by the C library's own code (stdio locks, sleeps,
// anything without an interposer) arrive here as SIGSYS while a controlled thread runs. Those
// that wait become modelled waits; the others are carried out.
#pragma once

#include <csignal>
#include <cstdint>

extern "C" void jostle_restore_signal();

namespace jostle {

// What the kernel takes; the C library would put its own way out of the handler in.
struct KernelSigaction {
  void (*handler)(int, siginfo_t*, void*);
  unsigned long flags;
  void (*restorer)();
  std::uint64_t mask;

  void use_exempt_return() {
    flags |= 0x04000000;  // SA_RESTORER
    restorer = &jostle_restore_signal;
  }
};

inline constexpr char kTrapOff = 0, kTrapOn = 1;

// Arms the trap for the calling kernel thread; `selector` then turns it on and off. False where
// the kernel has no such thing: then what bypasses the interposers is not seen.
bool arm_trap(char* selector);
// Installs the SIGSYS handler once.
void install_trap_handler();

}  // namespace jostle
