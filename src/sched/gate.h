// Holds threads back before their operations: how a script controls an execution.
//
//   admit(scheduler, view, candidates)  at every scheduling point, also where only one thread could
//                        go on; called on the stack of whoever ran last. Takes threads that have to
//                        wait out of the candidates. False: the execution ends here, without a
//                        verdict.
//   nobody_left(scheduler)  all candidates were held back, and time cannot help: the execution
//   ends.
//
// An operation is `fresh` when its thread announces it, `seen` once the gate has marked it so, and
// `passed` when its thread was let go on: a thread that waits in a queue meanwhile is not before
// that operation any more.
#pragma once

#include "base/bits.h"

namespace jostle {

class Scheduler;
struct View;

class Gate {
 public:
  virtual ~Gate() = default;
  virtual bool admit(Scheduler& scheduler, const View& view, ThreadSet& candidates) = 0;
  virtual void nobody_left(Scheduler& scheduler) = 0;
};

}  // namespace jostle
