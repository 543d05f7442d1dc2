// Crashes of the program under test, and executions that make no progress.
#pragma once

#include <cstdint>

namespace jostle {

void install_crash_handlers();
// Puts the handlers back that were there before.
void remove_crash_handlers();
// For the calling kernel thread: a crash may be that its stack is used up. Returns the memory.
void* install_alternate_stack();

// The search is to end: an execution that goes on for long is cut at the timer's next look. May be
// called from a signal handler.
void end_execution_soon();

// Where the timer counts its looks that saw progress: for whoever waits for this process.
void show_progress_in(std::uint32_t* counter);

// A timer that looks four times a second whether steps are being made. For the calling kernel
// thread; not inherited by fork.
void watch_start();
void watch_stop();

}  // namespace jostle
