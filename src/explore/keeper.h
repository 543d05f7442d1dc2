// Executions in fresh processes.
//
// A keeper is a copy of this process made before the first execution. It does nothing but fork:
// each of its children carries out one assignment, starting from the state that the program had
// at the beginning, and leaves the trace in shared memory. It also outlives a crash of the
// process that it was made for.
#pragma once

#include <sys/types.h>

#include "explore/session.h"
#include "sched/recorder.h"

namespace jostle::explore {

// How the process of an execution ended.
struct Fresh {
  bool ended = false;  // the execution came to an end, and `trace` is whole
  int signal = 0;      // else: what killed it
  int exit_code = 0;
  bool timed_out = false;
  Trace trace;
  std::uint32_t replay_left = 0;  // departures that were never reached
};

class Keeper {
 public:
  explicit Keeper(const Session& session);
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;
  ~Keeper();

  // To be filled before run().
  Assignment& assignment() { return shared_->assignment; }
  // Carries out the assignment in a fresh process. Works in the keeper, too: see
  // Session::on_orphaned.
  Fresh run();
  bool alive() const { return pid_ > 0; }
  pid_t pid() const { return pid_; }

 private:
  struct Shared {
    Assignment assignment;
    int status;
    bool timed_out;
    Outcome outcome;
    bool ended;
    std::uint32_t replay_left;
  };
  [[noreturn]] void serve();
  void serve_one();
  [[noreturn]] void execute();

  const Session& session_;
  Shared* shared_;
  Recorder& recorder_;
  pid_t pid_ = -1;
  int to_keeper_ = -1, from_keeper_ = -1;
};

// A pipe for our own purposes: its descriptors are high ones, so that the program gets the same
// numbers in every process, and with us as without us.
bool make_pipe(int (&ends)[2]);

// fork() for our own purposes: no buffered output twice, the child dies with its parent.
pid_t fork_helper(bool dies_with_parent = true);

}  // namespace jostle::explore
