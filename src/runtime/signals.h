// Crashes of the program under test, and executions that make no progress.
#pragma once

#include <csignal>
#include <cstdint>

namespace jostle {

// Tells that time has passed: see watch_start(). SIGRTMAX - 2, which the program should not use.
inline constexpr int kTickSignal = 62;
// A program that blocked SIGSYS would be killed by its next system call, one that blocked SIGSEGV
// by its first write to a page that a snapshot protects; one that blocked the tick could hang for
// ever.
inline constexpr std::uint64_t kNeverBlocked =
    1ull << (SIGSYS - 1) | 1ull << (SIGSEGV - 1) | 1ull << (kTickSignal - 1);

void install_crash_handlers();
// Puts the handlers back that were there before.
void remove_crash_handlers();
// For the calling kernel thread: a crash may be that its stack is used up. Returns the memory.
void* install_alternate_stack();

struct KernelSigaction;
// In a whole program our handlers of crashes stay, and the program's are called by them: tells what
// the program has set, and takes what it sets. False: the signal is none of those.
bool program_sigaction(int number, const KernelSigaction* set, KernelSigaction* old);
// It has set a handler in this execution.
bool program_handles_signals();
// At the start of each execution.
void forget_program_handlers();
// The signal whose handler, the program's own, has been entered and not left; 0 = none.
int crash_being_handled();
const char* signal_text(int number);

// Where the timer counts its looks that saw progress: for whoever waits for this process.
void show_progress_in(std::uint32_t* counter);

// An execution that runs when it returns true is given up. Asked by the timer, in a handler of a
// signal. Null: all are led to their end.
void give_up_when(bool (*over)());

// A timer that looks four times a second whether steps are being made. For the calling kernel
// thread; not inherited by fork.
void watch_start();
void watch_stop();

}  // namespace jostle
