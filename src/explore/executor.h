// Executions in processes that nothing was executed in before.
#pragma once

#include <sys/types.h>

#include "explore/session.h"

namespace jostle::explore {

// How the process of an execution ended.
struct Fresh {
  double seconds = 0;  // that it took
  bool ended = false;  // the execution came to an end, and `trace` is whole
  int signal = 0;      // else: what killed it
  int exit_code = 0;
  bool timed_out = false;
  Trace trace;
  std::uint32_t replay_left = 0;  // departures that were never reached
};

class Executor {
 public:
  virtual ~Executor() = default;

  // To be filled before run().
  virtual Assignment& assignment() = 0;
  // Carries out the assignment in a fresh process.
  virtual Fresh run() = 0;
  // A process with the program's state before the first execution.
  virtual pid_t pid() const = 0;
};

}  // namespace jostle::explore
