// What ends a search before it is done: its time is over, or Ctrl-C and its like. Then what it has
// found is told, and the process dies of the signal as it would have without Jostle.
#pragma once

#include <sys/types.h>

#include <string>

namespace jostle::explore {

// In memory that all processes of a run share.
struct Interruption {
  volatile int signal;    // not 0: stop
  volatile bool telling;  // a finding is being confirmed or written: that may take a while
  double deadline;        // monotonic seconds; 0 = none
};

double monotonic_seconds();

// While it lives, SIGINT, SIGTERM and SIGHUP stop the run, if the program leaves them to their
// default action. An execution that does not end is not waited for.
class Interrupts {
 public:
  Interrupts(const std::string& name, Interruption& shared);
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;
  ~Interrupts();
};

// Is the signal handled as above?
bool interrupt_handled(int signal);

// fork() for a process that works for a run: whoever started it decides when it is over.
pid_t fork_without_interrupts();

// The process that is to be killed along with this one, or -1.
void interrupt_takes_along(pid_t helper);

}  // namespace jostle::explore
