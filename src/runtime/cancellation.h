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

}  // namespace jostle
