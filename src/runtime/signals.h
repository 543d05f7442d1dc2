// Crashes of the program under test, and executions that make no progress.
#pragma once

namespace jostle {

void install_crash_handlers();

// A timer that looks four times a second whether steps are being made. For the calling kernel
// thread; not inherited by fork.
void watch_start();
void watch_stop();

}  // namespace jostle
