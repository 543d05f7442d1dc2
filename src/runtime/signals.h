// Crashes of the program under test, and executions that make no progress.
#pragma once

#include <csignal>
#include <cstdint>

namespace jostle {

// Tells that time has passed: see watch_start(). SIGRTMAX - 2, which the program should not use.
inline constexpr int kTickSignal = 62;
// A program that blocked SIGSYS would be killed by its next system call; one that blocked the
// tick could hang for ever.
inline constexpr std::uint64_t kNeverBlocked = 1ull << (SIGSYS - 1) | 1ull << (kTickSignal - 1);

void install_crash_handlers();
// Puts the handlers back that were there before.
void remove_crash_handlers();
// For the calling kernel thread: a crash may be that its stack is used up. Returns the memory.
void* install_alternate_stack();

// Where the timer counts its looks that saw progress: for whoever waits for this process.
void show_progress_in(std::uint32_t* counter);

// A timer that looks four times a second whether steps are being made. For the calling kernel
// thread; not inherited by fork.
void watch_start();
void watch_stop();

}  // namespace jostle
