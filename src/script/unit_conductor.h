// The script of threads in this process: the gate that holds them back, and the strategy that says
// which of the others goes on.
//
// The script has a stack of its own. It is resumed where a thread has come to an event that the
// script may be waiting for, and runs until it waits again. Nothing of the user's runs on the stack
// of a controlled thread.
//
//   prepare()   before the execution
//   conclude()  after it: the script's stack is unwound if it still waits
//
// What must hold: while the script is suspended it waits in a select(), or has returned.
#pragma once

#include "base/mapped.h"
#include "sched/gate.h"
#include "sched/scheduler.h"
#include "script/calls.h"
#include "script/conductor.h"
#include "script/fiber.h"
#include "strategies/segments.h"

namespace jostle::scripts {

class UnitConductor final : public Conductor, public Gate, public Strategy {
 public:
  UnitConductor(const std::function<void()>& script, scripting::Oracle& oracle);
  ~UnitConductor() override;

  // --- one execution ----------------------------------------------------------------------
  void prepare(Scheduler& scheduler, std::uint64_t index);
  void conclude();
  // It held a thread back that could have gone on.
  bool held_somebody() const { return held_; }
  // The order in which operations were performed, and what other choices there were.
  const MappedVector<Segment>& turns() const { return turns_; }
  const MappedVector<Deviation>& answers() const { return answers_; }
  Calls& calls() { return calls_; }
  Registers& registers(ThreadId t) { return registers_[t]; }

  // --- Conductor ----------------------------------------------------------------------------
  using Conductor::choose;
  void others(scripting::Others what) override { others_ = what, strategy_ = nullptr; }
  void others(const std::string& strategy, const scripting::Place& at) override;
  bool has_ended(scripting::Tid t) const override;
  bool is_blocked(scripting::Tid t) const override {
    return !has_ended(t) && !possible_.has(t.number());
  }
  bool inside(ThreadId t, const std::vector<Address>& starts) const override {
    return calls_.inside(t, starts);
  }
  std::uint64_t memory(const scripting::Event& e) const override;

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
  // A thread when the script could not go on; nothing is allocated on a controlled thread.
  struct Snapshot {
    ThreadId thread;
    Op op;
    bool ended, held, enabled;
  };

  std::uint32_t thread_count() const override { return scheduler_->thread_count(); }
  bool at_event(ThreadId t) const override;
  scripting::Event event_of(ThreadId t) const override;
  void pause() override;
  Registers registers_of(ThreadId t) const override { return registers_.begin()[t]; }
  report::Parameter parameter_of(ThreadId t, const std::string& name,
                                 unsigned number) const override;
  report::Parameter result_of(ThreadId t, Address function) const override;
  bool read_memory(ThreadId t, Address raw, std::uint64_t bytes, void* out) const override;
  void remember_mistake() override;

  static void run_script(void* self);
  void wait_on_fiber();
  void resume();
  bool holds(ThreadId t) const;
  void remember(Scheduler& s);
  std::vector<State> states() const;
  std::uint32_t ask_oracle(std::uint32_t n);

  Fiber fiber_;
  Calls calls_;
  Scheduler* scheduler_ = nullptr;
  bool started_ = false, held_ = false;
  std::uint32_t question_ = 0, answer_ = 0;  // for the oracle, from a controlled thread
  ThreadSet ended_;                          // at their end, or beyond
  ThreadSet possible_;                       // could go on if nobody held them
  scripting::Others others_ = scripting::Others::free;
  Strategy* strategy_ = nullptr;  // of the others; null: the default schedule
  ThreadSet preferred_;
  Plan plan_;
  MappedVector<Registers> registers_;
  MappedVector<Snapshot> snapshot_;
  MappedVector<Segment> turns_;
  MappedVector<Deviation> answers_;
};

}  // namespace jostle::scripts
