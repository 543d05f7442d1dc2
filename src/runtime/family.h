// The program and the processes that it forks, as one execution (children=controlled).
//
// Each process has a copy of everything, the scheduler included, and its own threads. One process
// goes on at a time: whose turn it is stands in memory that they share, with all that they count
// together (steps, decisions, threads, virtual time); the trace lies in shared memory anyway. In
// each process the first thread of every other one stands for it among the threads that can be
// picked: whoever picks it hands the turn over. So an order of threads across processes is a
// schedule like any other, with decisions that are numbered throughout.
//
// A process of which nobody can go on is not offered until another one has done something that may
// be what it waits for. The first process carries the execution: what fails in another is handed to
// it, and the others end with it.
#pragma once

#include <sys/types.h>

#include "events/plan.h"
#include "runtime/system_model.h"
#include "sched/recorder.h"
#include "sched/scheduler.h"

namespace jostle::family {

// Are processes that the program forks from now on part of its executions?
void control_children(bool on);
bool controls_children();
// The program has forked, and is several processes.
bool several();
// This is not the first of them.
bool is_child();

pid_t fork(Thread& t, std::uint64_t pc);
// --- other programs
// -------------------------------------------------------------------------------
//
// A process of the family that becomes another program, and one that the family starts, goes on
// there as part of it: Jostle's library is loaded again, finds in the environment where the memory
// of the family is, and its first thread takes the place that is kept for it.

// When there are several processes: has the memory for that been had?
bool can_start_programs();
// execve() of a program that can be controlled, in a process that is not the first one. Returns
// only what it fails with.
long become(Thread& t, const SystemCall& c, bool linked);

// While it lives, t starts a process that is another program from its first moment. Making it is a
// scheduling point.
class Starting {
 public:
  Starting(Thread& t, std::uint64_t pc);
  Starting(const Starting&) = delete;
  Starting& operator=(const Starting&) = delete;
  ~Starting();
  bool possible() const { return number_ != 0; }
  // That it is to be started with.
  char** environment(char* const* own, bool linked) const;
  void started(int pid) const;

 private:
  std::uint32_t number_ = 0;  // of the process; 0: there is no room
};

// In the new program. False: the request is not one that this library understands.
bool take_request(const char* request);
// How the execution was begun that it takes part in.
struct Given {
  Plan plan;
  Profile profile;
  Settings settings;
  Recorder* recorder;
  std::uint64_t seed;
  double timeout;
};
const Given& given();
// Before anything of the new program runs; then, as the first thread of the execution that it
// makes.
void await_first_turn();
void take_place();

// The program has started a process that is not controlled.
void free_process();
// It may wait for this word of memory.
void wake_free_processes(const void* word);
// One of them has: see outside.h.
void not_alone();
bool are_alone();
// The process ends, as its parent is to see it: with that exit code, or by signal -status.
[[noreturn]] void end(int status);
// The first process has come to its end: the others go on as long as they can.
void finish_others();
// A signal was sent to another process, which may be one of these. 0: to all that the kernel finds.
void sent(long pid, int number);

// Something has happened that may be what another process waits for.
void stirred();
// Nobody of this process can go on, nor of another that is known to be able to. True: somebody here
// may now; false: only time, if it can pass, or nothing can help.
bool nobody_can_go_on(Scheduler& s, bool time_can_pass);

// Does a call that waits for the end of a child wait for one of these only?
bool are_waited_for(const SystemCall& c);

// The process that carries the execution is gone: nobody wants to know any more.
bool is_orphaned();
// After an execution, in its first process: ends the others.
void forget();

}  // namespace jostle::family
