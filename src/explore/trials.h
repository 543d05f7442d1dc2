// Executions that coverage is raised with: each leaves a log of its accesses and of its steps.
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

struct Trial {
  enum class How : std::uint8_t { profile, novelty, guided, active, pairs } how = How::profile;
  Plan plan;  // its strategy counts only where nothing is aimed at
  ActiveTarget target;
  std::uint32_t window = 50;
};

// A trial and what became of it. In shared memory: it is all there even if the process is not.
struct TrialDesk {
  static constexpr std::uint32_t kRaces = 64, kUncontrolled = 32;
  Trial trial;
  PairTargets pairs;
  GuidedTurns turns;
  SeenItems seen;
  std::uint32_t promoted_count;
  std::uint64_t promoted[Assignment::kSites];
  std::uint32_t alive;
  bool done;
  char not_restorable[160];
  Outcome outcome;
  std::uint32_t race_count, uncontrolled_count;
  Problem races[kRaces];
  Uncontrolled uncontrolled[kUncontrolled];
  StepLog steps;
  AccessLog accesses;
};

class Trials {
 public:
  Trials(const Trials&) = delete;
  Trials& operator=(const Trials&) = delete;
  virtual ~Trials() { unmap_pages(&desk_, sizeof(TrialDesk)); }
  TrialDesk& desk() { return desk_; }
  // Makes desk().trial. False if interrupted.
  virtual bool make() = 0;

 protected:
  Trials();
  void prepare();
  void execute_here(const Session& session);
  TrialDesk& desk_;
};

std::unique_ptr<Trials> trials_here(const Session& session);
// In another process: as long as the program's state can be put back, in the same one.
std::unique_ptr<Trials> trials_elsewhere(Session& session);

}  // namespace jostle::explore
