// Carries out a script, one execution at a time: as the gate that holds threads back, and as the
// strategy that says which of the others goes on.
//
// The script has a stack of its own. It is resumed where a thread has come to an event that the
// script may be waiting for, and runs until it waits again. Predicates and oracles are called
// there, too: nothing of the user's runs on the stack of a controlled thread.
//
//   prepare()   before the execution
//   conclude()  after it: the script's stack is unwound if it still waits
//
// What must hold: while the script is suspended it waits in a select(), or has returned.
#pragma once

#include <jostle/script.hpp>
#include <optional>
#include <vector>

#include "base/mapped.h"
#include "sched/gate.h"
#include "sched/scheduler.h"
#include "script/calls.h"
#include "script/fiber.h"
#include "strategies/segments.h"

namespace jostle::scripts {

class Conductor final : public Gate, public Strategy {
 public:
  Conductor(const std::function<void()>& script, scripting::Oracle& oracle);
  ~Conductor() override;

  // --- one execution ----------------------------------------------------------------------
  void prepare(Scheduler& scheduler, std::uint64_t index);
  void conclude();
  // The script came to its end.
  bool finished() const { return finished_; }
  // Why it did not, for people; "" if an execution just failed before.
  const std::string& stuck() const { return stuck_; }
  // What is wrong with the script itself; "" if nothing.
  const std::string& mistake() const { return mistake_; }
  // It held a thread back that could have gone on.
  bool held_somebody() const { return held_; }
  // The order in which operations were performed, and what other choices there were.
  const MappedVector<Segment>& turns() const { return turns_; }
  const MappedVector<Deviation>& answers() const { return answers_; }

  // --- for the script -----------------------------------------------------------------------
  scripting::Event select(const scripting::Threads& threads, const scripting::Predicate& p,
                          const scripting::Place& at);
  // Also comes back, with nothing, when none of the threads can go on.
  std::optional<scripting::Event> select_or_block(const scripting::Threads& threads,
                                                  const scripting::Predicate& p,
                                                  const scripting::Place& at);
  // Holds them until one of them can go on.
  void wait_unblocked(const scripting::Threads& threads, const scripting::Place& at);
  // Has to wait for somebody or something else.
  bool is_blocked(scripting::Tid t) const { return !has_ended(t) && !possible_.has(t.number()); }
  void release(const scripting::Threads& threads, const scripting::Place& at);
  // A set without threads that do not exist yet.
  scripting::Threads bound_among(const scripting::Threads& threads) const;
  void let_go(const scripting::Threads& threads, const scripting::Place& at);
  std::uint32_t choose(std::uint32_t n);
  scripting::Tid choose_thread(const scripting::Threads& threads, const scripting::Place& at);
  void others(scripting::Others what) { others_ = what, strategy_ = nullptr; }
  void others(const std::string& strategy, const scripting::Place& at);
  bool has_ended(scripting::Tid t) const;
  scripting::Event pending(scripting::Tid t, const scripting::Place& at) const;
  bool in_function(scripting::Tid t, const std::vector<Address>& starts) const {
    return !has_ended(t) && calls_.inside(t.number(), starts);
  }
  Calls& calls() { return calls_; }

  // --- Gate ---------------------------------------------------------------------------------
  bool admit(Scheduler& scheduler, const View& view, ThreadSet& candidates) override;
  void nobody_left(Scheduler& scheduler) override;

  // --- Strategy -----------------------------------------------------------------------------
  void begin(const Plan& plan, const Profile& profile) override;
  ThreadId pick(const View& view) override;
  std::uint32_t choose(ChoiceKind kind, std::uint32_t n, const View& view) override;
  void created(ThreadId t, ThreadId parent) override;
  void yielded(ThreadId t) override;
  bool wants_events() const override { return true; }
  void performed(const View& view, ThreadId t, const Op& op) override;

 private:
  // What a suspended script is waiting for: an event of these threads, or also that none of them
  // can go on, or only that one of them can.
  enum class Until : std::uint8_t { event, event_or_blocked, unblocked };
  struct Wanted {
    scripting::Threads threads;
    std::optional<scripting::Predicate> predicate;
    scripting::Place at;
    Until until = Until::event;
  };
  // A thread when the script could not go on.
  struct Snapshot {
    ThreadId thread;
    Op op;
    bool ended, held, enabled;
  };

  static void run_script(void* self);
  void wait_on_fiber();
  void resume();
  bool at_event(ThreadId t) const;
  bool holds(ThreadId t) const;
  bool hopeless() const;
  bool all_blocked() const;
  bool turned() const;
  std::optional<scripting::Event> wait(const Wanted& wanted);
  scripting::Event event_of(ThreadId t) const;
  void remember(Scheduler& s);
  std::string describe(const std::string& why) const;
  std::uint32_t ask_oracle(std::uint32_t n);

  const std::function<void()>& script_;
  scripting::Oracle& oracle_;
  Fiber fiber_;
  Calls calls_;
  Scheduler* scheduler_ = nullptr;
  Wanted wanted_;
  bool started_ = false, finished_ = false, over_ = false, held_ = false, waiting_ = false;
  std::string stuck_, mistake_;
  std::uint32_t question_ = 0, answer_ = 0;  // for the oracle, from a controlled thread
  ThreadSet bound_;                          // by the script
  ThreadSet released_;                       // of these: may perform what they are about to do
  ThreadSet evaluated_;                      // their event does not satisfy what is wanted
  ThreadSet ended_;                          // at their end, or beyond
  ThreadSet possible_;                       // could go on if nobody held them
  scripting::Others others_ = scripting::Others::free;
  Strategy* strategy_ = nullptr;  // of the others; null: the default schedule
  ThreadSet preferred_;
  Plan plan_;
  MappedVector<Snapshot> snapshot_;
  MappedVector<Segment> turns_;
  MappedVector<Deviation> answers_;
};

// The one whose script is being carried out.
Conductor& conductor();

}  // namespace jostle::scripts
