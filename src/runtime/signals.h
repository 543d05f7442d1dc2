// Crashes of the program under test, and executions that make no progress.
#pragma once

namespace jostle {

void install_crash_handlers();
// Puts the handlers back that were there before.
void remove_crash_handlers();
// For the calling kernel thread: a crash may be that its stack is used up. Returns the memory.
void* install_alternate_stack();

// A timer that looks four times a second whether steps are being made. For the calling kernel
// thread; not inherited by fork.
void watch_start();
void watch_stop();

}  // namespace jostle
