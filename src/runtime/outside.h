// Threads that wait for what no model knows: descriptors, signals, the end of a child.
//
// Such a thread is blocked like any other, so that it takes no turns. Whoever makes a system call
// that may be what it waits for asks on its behalf. When nobody can go on, only the world outside
// can help: then the process really waits, but not for ever.
#pragma once

#include <poll.h>

#include <cstdint>

#include "sched/thread.h"

namespace jostle::outside {

struct Wait {
  const char* what;  // for reports
  // Asked by any thread; must not change anything.
  bool (*ready)(const Wait&);
  const void* of = nullptr;
  // What a real wait watches; with none, it asks again and again.
  pollfd* descriptors = nullptr;
  unsigned count = 0;
  bool child = false;  // the end of a child process
  bool told = false;   // the report says already that this is not controlled
  // Can only this program bring it about? Null: no.
  bool (*closed)(const Wait&) = nullptr;

  // Filled in by wait().
  Thread* thread = nullptr;
  Wait* next = nullptr;
  bool expired = false;
};

// May it be brought about by somebody whom nobody controls?
bool is_open(const Wait& w);
// Returns when somebody has seen ready(), when virtual time is `until` (0: never), or when a
// handler of a signal was called meanwhile, or the thread was cancelled: then t.handled is set.
void wait(Thread& t, Wait& w, std::uint64_t pc, std::uint64_t until = 0);
// t waits here no longer: a handler is to run, and may never come back.
void interrupt(const Thread& t);
// Something has happened that may be what somebody waits for. `time`: no more than that time has
// passed.
void look(bool time = false);
// Another process of the execution may have done so: see family.h.
void look_here();
// From now on somebody who is not controlled may hold the other end of anything: a process, or the
// kernel on behalf of the program.
void not_alone();
bool is_alone();
// Does anybody wait for what may come from outside?
bool may_help();
// Then: waits a little for it. `over`: for the last time; who waits fails. True: somebody can go
// on.
bool wait_a_moment(bool over);
// For Scheduler::doubt.
const char* doubt(Scheduler& s, bool spins);
// Nobody waits.
void forget_waits();
// At the start of each execution.
void forget();

}  // namespace jostle::outside
