// Threads that end before their function returns.
#pragma once

#include "sched/model/model.h"

namespace jostle {

// Ends the calling thread as pthread_exit does: frames are unwound, cleanup handlers run.
[[noreturn]] void exit_thread(Thread& t, void* result);

[[noreturn]] void act_on_cancellation(Thread& t);
inline void cancellation_point(Thread& t) {
  if (model::cancelled(t)) act_on_cancellation(t);
}
// Of a thread that wants to be cancelled wherever it is: such a request interrupts it like a
// signal. The frames are not unwound: the compilers' tables know only calls that may throw.
[[noreturn]] void end_here(Thread& t);
inline void cancelled_asynchronously(Thread& t) {
  if (t.cancel_async && model::cancelled(t)) end_here(t);
}

}  // namespace jostle
