// Executions that coverage is raised with, several at a time: each leaves a log of its accesses and
// of its steps.
#pragma once

#include <memory>
#include <vector>

#include "explore/session.h"
#include "sched/access_log.h"
#include "strategies/active.h"
#include "strategies/guided.h"
#include "strategies/novelty.h"
#include "strategies/pair_controller.h"

namespace jostle::explore {

// One execution: how it is to be made, and what became of it.
struct Trial {
  static constexpr std::uint32_t kRaces = 64, kUncontrolled = 32;

  // From `guided` on: aimed at something.
  enum class How : std::uint8_t { profile, novelty, guided, active, pairs } how = How::profile;
  Plan plan;  // its strategy counts only where nothing is aimed at
  // May threads be interrupted wherever they touch what others do, or only where they race?
  bool everywhere;
  ActiveTarget target;
  PairTargets pairs;
  GuidedTurns turns;

  bool done;
  char not_restorable[160];
  Outcome outcome;
  Profile profile;  // only of the first
  std::uint32_t race_count, uncontrolled_count;
  Problem races[kRaces];
  Uncontrolled uncontrolled[kUncontrolled];
  StepLog steps;
  AccessLog accesses;
  // In selective executions: what touches what other threads do, as was known and as it turned
  // out; and, unless it was aimed at something, what is executed often.
  SharedPlaces places;
  Engine::Indices frequent;
};

// The trials of one round, and what they have in common: it does not change before they have all
// been made, so it makes no difference who makes which. In shared memory: it is all there even if
// the process is not.
struct TrialDesk {
  static constexpr std::uint32_t kTrials = 8;
  std::uint32_t count;  // trials to be made
  std::uint32_t window;
  // Executions are so long that only accesses at `shared` can be logged.
  bool selective;
  SeenItems seen;
  Profile profile;  // of an execution before
  struct Places {
    std::uint32_t count;
    std::uint64_t pc[Assignment::kSites];
  };
  Places shared, racing;     // where threads touch what others do, and where they race
  Engine::Indices frequent;  // see Trial
  Trial trial[kTrials];
  // By the processes that make them.
  alignas(64) std::uint32_t taken;
  std::uint32_t alive;
};

class Trials {
 public:
  Trials(const Trials&) = delete;
  Trials& operator=(const Trials&) = delete;
  virtual ~Trials() { unmap_pages(&desk_, sizeof(TrialDesk)); }
  TrialDesk& desk() { return desk_; }
  // Makes the first desk().count. False if interrupted.
  virtual bool make() = 0;

 protected:
  Trials();
  static void prepare(Trial& t);
  void execute_here(const Session& session, Trial& t);
  TrialDesk& desk_;
};

std::unique_ptr<Trials> trials_here(const Session& session);
// In `jobs` other processes: as long as the program's state can be put back, in the same ones.
std::unique_ptr<Trials> trials_elsewhere(Session& session, std::uint32_t jobs);

}  // namespace jostle::explore
