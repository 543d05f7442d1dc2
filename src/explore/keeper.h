// Executions in fresh processes.
//
// A keeper is a copy of this process made before the first execution. It does nothing but fork:
// each of its children carries out one assignment, starting from the state that the program had
// at the beginning, and leaves the trace in shared memory. It also outlives a crash of the
// process that it was made for.
#pragma once

#include "explore/executor.h"
#include "sched/recorder.h"

namespace jostle::explore {

class Keeper final : public Executor {
 public:
  explicit Keeper(const Session& session);
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;
  ~Keeper() override;

  Assignment& assignment() override { return shared_->assignment; }
  // Works in the keeper, too: see Session::on_orphaned.
  Fresh run() override;
  bool alive() const { return pid_ > 0; }
  // In a process that was started for it: see spawn.h.
  [[noreturn]] void execute();
  pid_t pid() const override { return pid_; }

 private:
  struct Shared {
    Assignment assignment;
    int status;
    bool timed_out;
    std::uint32_t alive;  // grows as long as there are steps
    Outcome outcome;
    bool ended;
    std::uint32_t replay_left;
  };
  [[noreturn]] void serve();
  void serve_one();
  bool host_is_gone(long nanoseconds) const;

  const Session& session_;
  std::size_t at_;  // in the shared file
  Shared* shared_;
  Recorder& recorder_;
  pid_t pid_ = -1;
  int to_keeper_ = -1, from_keeper_ = -1;
  bool orphaned_ = false;
};

// A pipe for our own purposes: its descriptors are high ones, so that the program gets the same
// numbers in every process, and with us as without us.
bool make_pipe(int (&ends)[2]);

// fork() for our own purposes: no buffered output twice, the child dies with its parent.
pid_t fork_helper(bool dies_with_parent = true);

}  // namespace jostle::explore
