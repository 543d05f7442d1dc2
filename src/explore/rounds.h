// Executions are made in rounds. Within a round everything that could depend on what was found
// before (weights of the portfolio, promoted sites, known behaviours) is fixed, and results are
// merged in the order of the executions: so the same seed gives the same search with any number
// of processes.
#pragma once

#include <memory>
#include <vector>

#include "explore/interrupt.h"
#include "explore/session.h"

namespace jostle::explore {

// A strategy with its parameters.
struct Arm {
  std::uint16_t strategy = 0;
  std::uint16_t depth = 0;
  std::uint32_t stickiness = 0;
};

struct Round {
  static constexpr std::uint32_t kArms = 16;
  static constexpr std::uint64_t kBurst = 2;  // consecutive executions that share an arm

  std::uint64_t first = 0, count = 0;
  std::uint64_t seed = 0;
  std::uint32_t length = 0;  // decisions of an execution, from the last round
  std::uint32_t arms = 0;
  Arm arm[kArms];
  std::uint32_t weight[kArms] = {};  // relative
  Profile profile;
  std::uint32_t promoted_count = 0;
  std::uint64_t promoted[Assignment::kSites] = {};
  // The last round was cut at a failure: races that a process saw beyond it did not count, and are
  // to be reported again.
  bool recheck_races = false;

  std::uint32_t arm_of(std::uint64_t index) const;
  Plan plan(std::uint64_t index) const { return plan(index, arm_of(index)); }
  Plan plan(std::uint64_t index, std::uint32_t with) const;  // the arm of that index
};

// What one process found in its share of a round. Plain data in shared memory: it is all there
// even if the process is not.
struct Share {
  static constexpr std::uint32_t kFresh = 1u << 16, kRaces = 256, kUncontrolled = 32;

  Plan current;            // written before the execution starts
  bool running;            // it has not ended
  std::uint64_t executed;  // executions ended
  std::uint32_t alive;     // grows as long as the execution makes steps
  bool failed, skipped, out_of_time, done;
  char not_restorable[160];  // not "": executions after the last would not start as they should
  Plan failure_plan;
  Problem failure;
  std::uint32_t length;  // of the round's first execution, if it was in this share
  Profile profile;
  std::uint32_t fresh_count, race_count;
  struct {
    std::uint64_t index;
    std::uint32_t behaviour;
  } fresh[kFresh];
  struct {
    Plan plan;
    Problem race;
  } races[kRaces];
  std::uint32_t uncontrolled_count;
  Uncontrolled uncontrolled[kUncontrolled];

  void clear() {
    std::memset(static_cast<void*>(this), 0, offsetof(Share, fresh)), race_count = 0,
                                                                      uncontrolled_count = 0;
  }
};

// Enters what this process has done out of our sight.
void note_uncontrolled(Share& s);

// What an in-process search is doing, in memory that outlives it.
struct Progress {
  Round round;
  Share share;
  Interruption interruption;
  // Of an execution that was given up, or had to be ended with its process.
  bool given_up;
  std::uint32_t steps;
};

// Somebody wants the run to end.
inline bool interrupted(const Session& session) {
  return session.progress && session.progress->interruption.signal != 0;
}

// Its time is over.
bool out_of_time(const Session& session);
// This process gives up executions when one of these is the case. Not where findings are confirmed.
void give_up_in_time(const Session& session);
// Was it? Then it does not count, and there is no time for others.
bool given_up(const Session& session, const Outcome& o);
// Whoever waits for a process that executes ends it then: it had time enough to give up by itself.
bool no_more_waiting(const Session& session);

// While a finding is confirmed and written, an interruption waits a little longer.
class Telling {
 public:
  explicit Telling(const Session& session) : progress_(session.progress) { set(true); }
  Telling(const Telling&) = delete;
  Telling& operator=(const Telling&) = delete;
  ~Telling() { set(false); }

 private:
  void set(bool on) {
    if (progress_) progress_->interruption.telling = on;
  }
  Progress* progress_;
};

// Executes plans of a round until all are taken. `taken`: how many are, by this process and others
// that share the round; whoever is quicker takes more.
void run_share(const Session& session, const Round& round, std::uint64_t& taken, Share& out);

// Makes rounds happen.
class Runner {
 public:
  virtual ~Runner() = default;
  // The shares of the round, in no particular order; valid until the next call.
  virtual std::vector<Share*> run(const Round& round) = 0;
  // Everybody knows these behaviours and races now.
  virtual void learned(const std::vector<std::uint32_t>& behaviours) = 0;
};

std::unique_ptr<Runner> in_process_runner(const Session& session);
// `jobs` processes, which live as long as the runner.
std::unique_ptr<Runner> worker_runner(const Session& session, std::uint32_t jobs);
// As worker_runner(), with the program's state put back before each execution; where that turns out
// to be impossible, as forking_runner(), and `why` says why.
std::unique_ptr<Runner> snapshot_runner(const Session& session, std::uint32_t jobs,
                                        std::string& why);
// A process for each execution, `jobs` of them at a time.
std::unique_ptr<Runner> forking_runner(const Session& session, std::uint32_t jobs);
// In a process that was started for it: see spawn.h.
[[noreturn]] void go_on_with_share(const Session& session, std::uint32_t which);

// Ordinary threads in real time, a process for each execution.
std::unique_ptr<Runner> delaying_runner(const Session& session);

}  // namespace jostle::explore
