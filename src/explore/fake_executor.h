// Fresh processes without processes, for tests: a program without code (strategies/fake_program.h)
// is driven by the strategies that the assignment names.
#pragma once

#include <functional>
#include <utility>

#include "explore/executor.h"
#include "strategies/fake_program.h"

namespace jostle::explore {

class FakeExecutor final : public Executor {
 public:
  using Execution = FakeProgram::Execution;
  // Makes a failure of an execution, or leaves it.
  using Judge = std::function<void(const Execution&, Problem&)>;

  FakeExecutor(FakeProgram program, Judge judge)
      : program_(std::move(program)),
        judge_(std::move(judge)),
        assignment_(static_cast<Assignment*>(map_pages(sizeof(Assignment)))) {}
  FakeExecutor(const FakeExecutor&) = delete;
  FakeExecutor& operator=(const FakeExecutor&) = delete;
  ~FakeExecutor() override { munmap(assignment_, sizeof(Assignment)); }

  Assignment& assignment() override { return *assignment_; }
  pid_t pid() const override { return -1; }
  Fresh run() override {
    ++runs;
    const Assignment& a = *assignment_;
    replay_strategy().follow(a.deviations, a.deviation_count);
    segment_strategy().follow(a.segments, a.segment_count);
    segment_strategy().answer(a.deviations, a.deviation_count);
    Fresh f;
    f.seconds = seconds;
    f.ended = true;
    f.trace = traced(program_.run(strategy_for(a.plan), a.plan, a.profile));
    return f;
  }
  Trace execute(Strategy& s, const Plan& plan) { return traced(program_.run(s, plan)); }

  int runs = 0;
  double seconds = 0;  // that an execution is said to take

 private:
  Trace traced(const Execution& e) const {
    Trace t;
    t.stacks = {0};
    ThreadId last = kNoThread;
    for (const ThreadId id : e.order) {
      while (t.threads.size() <= id) {
        ThreadInfo info;
        if (!t.threads.empty()) {
          info.parent = 0;
          info.ordinal = static_cast<std::uint16_t>(t.threads.size() - 1);
        }
        t.threads.push_back(info);
      }
      Event step;
      step.thread = id;
      step.flags = kStep;
      t.events.push_back(step);
      t.outcome.switches += last != kNoThread && id != last;
      last = id;
    }
    for (const Execution::Choice& c : e.decisions) {
      Decision d;
      d.options = static_cast<std::uint16_t>(c.options);
      d.chosen = c.chosen;
      d.standard = c.standard;
      d.running = c.running;
      t.decisions.push_back(d);
    }
    t.outcome.preemptions = static_cast<std::uint32_t>(e.preemptions);
    t.outcome.decisions = static_cast<std::uint32_t>(e.decisions.size());
    judge_(e, t.outcome.failure);
    return t;
  }

  FakeProgram program_;
  Judge judge_;
  Assignment* assignment_;
};

}  // namespace jostle::explore
