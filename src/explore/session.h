// One call of run(): what the parts of the engine share.
#pragma once

#include <functional>
#include <jostle/jostle.hpp>
#include <memory>
#include <string>
#include <vector>

#include "events/plan.h"
#include "events/trace.h"
#include "runtime/engine.h"
#include "strategies/registry.h"
#include "strategies/replay.h"
#include "strategies/search_kind.h"
#include "strategies/segments.h"

namespace jostle::explore {

inline constexpr std::uint16_t kSegmentStrategy = 0xfffe;
// Follows options.replay by its anchors: see anchored.h.
inline constexpr std::uint16_t kAnchoredStrategy = 0xfffd;

// Everything that an execution depends on besides the program: handed to other processes
// through shared memory, so plain data of fixed size.
struct Assignment {
  Plan plan;
  Profile profile;
  static constexpr std::uint32_t kSites = 4096, kSteps = 1u << 18;
  std::uint32_t promoted_count, watched_count, deviation_count, segment_count;
  std::uint64_t promoted[kSites], watched[kSites];
  Deviation deviations[kSteps];
  Segment segments[kSteps];
  bool record;

  void clear() {
    promoted_count = watched_count = deviation_count = segment_count = 0;
    record = false;
    plan = {};
  }
};

// What a whole program needs around its executions, in the process that makes them. All may be
// null: a function in a test needs none of it.
struct Surroundings {
  // Once, in a process that is going to execute. `shown`: it confirms a finding, and what it prints
  // is of interest.
  void (*enter)(const Options&, bool shown) = nullptr;
  void (*before)(const Options&) = nullptr;  // each execution
  // After each: may turn a good end into a failure.
  void (*after)(const Options&, Outcome&) = nullptr;
  // In a forked child: the program from its beginning, which gets that text as a request. Returns
  // if it cannot be started.
  void (*start_anew)(const char* request) = nullptr;
  // What the last execution that was `shown` has printed.
  std::string (*output)() = nullptr;
};

struct Recorded;  // results.h

// What is fixed for a run.
struct Session {
  Options options;
  SearchKind kind = SearchKind::portfolio;  // what options.strategy names
  std::string name;
  std::string provided;  // what a promise takes on trust: see BlindSpots
  Body body{};           // of a whole program: nothing, see runtime/start_point.h
  Settings settings;
  Surroundings surroundings;
  bool spawns = false;     // where others fork for an execution: see spawn.h
  std::string why_forked;  // instead of putting a snapshot back, if that did not work out
  const struct ScriptCall* script = nullptr;  // what jostle::script() was given
  // Called in the keeper when the process that it was made for has died.
  void (*on_orphaned)(class Keeper&, const Session&) = nullptr;
  std::shared_ptr<Recorded> recorded;        // only if results are to be written to files
  class Status* status = nullptr;            // what is shown meanwhile; null: nothing
  struct CoverageTable* coverage = nullptr;  // what executions expose; null: nobody asks
  struct Progress* progress = nullptr;       // shared with the keeper: what was being executed

  bool whole_program() const { return settings.whole_program; }
  // Is the report what standard output is for? It is the program's in tests, unless a schedule is
  // replayed.
  bool asked_for() const { return whole_program() || !options.replay.empty(); }
  bool kernel_threads() const { return options.backend == Options::Backend::threads; }
};

Settings settings_of(const Options& o);
// Where threads may be interrupted, for a promise.
const char* scheduling_points(Preempt level);
// As part of what a search promises; `left_out`: some executions went beyond Bounds::retries.
std::string in_words(const Bounds& bounds, bool left_out);

// How much one execution may print.
void limit_printed(Engine& e, const Options& o);

// Prepares this process, forked for the purpose, for executing.
void start_engine(const Session& session, bool shown = false);
// Makes one execution, with its surroundings.
const Outcome& execute(const Session& session, const Plan& plan, const Profile& profile,
                       Strategy& strategy, Recorder* recorder = nullptr);

// The strategy that a plan names. Replay and segment strategies take their steps from the
// assignment.
Strategy& strategy_for(const Plan& plan);
Replay& replay_strategy();
Segments& segment_strategy();

// Hands options.seal to the engine.
void apply_seals(Engine& e, const Options& o);

// Sets the engine's sites from an assignment.
void apply_sites(Engine& e, const Assignment& a);

}  // namespace jostle::explore
