// Follows a schedule that was worked out: which thread gets to which place next. A thread whose
// turn it is but that cannot go on lets the next in line go first; one that does something else
// to what the schedule is about than it was expected to is looked for a little further on, and
// after a while given up: from then on, every other decision is another strategy's. Where the
// schedule ends, that goes on alone.
#pragma once

#include "cover/feasibility.h"
#include "sched/strategy.h"

namespace jostle {

struct GuidedTurns {
  static constexpr std::uint32_t kMost = 1u << 13;
  std::uint32_t count = 0;
  covering::Turn turn[kMost] = {};
};

class Guided : public Strategy {
 public:
  // Both must stay where they are while executions are made.
  void follow(const GuidedTurns& turns, Strategy& then) {
    turns_ = &turns;
    then_ = &then;
  }

  void begin(const Plan& plan, const Profile& profile) override;
  ThreadId pick(const View& view) override;
  std::uint32_t choose(ChoiceKind kind, std::uint32_t n, const View& view) override {
    return then_->choose(kind, n, view);
  }
  void created(ThreadId t, ThreadId parent) override;
  bool wants_events() const override { return true; }
  void performed(const View& view, ThreadId t, const Op& op) override;

 private:
  static constexpr std::uint32_t kLookahead = 8, kLost = 8;

  const GuidedTurns* turns_ = nullptr;
  Strategy* then_ = nullptr;
  std::uint32_t head_[kMaxThreads] = {};    // of each thread: its next turn, from 1; 0: none
  std::uint32_t missed_[kMaxThreads] = {};  // operations in a row that were not expected
  bool strays_ = false;                     // somebody was given up
  // What the schedule is about. Entries of earlier executions do not count.
  struct Known {
    Address object;
    std::uint32_t execution;
  };
  bool knows(Address object) const;
  std::uint32_t slot_of(Address object) const;
  static constexpr std::uint32_t kKnown = 2 * GuidedTurns::kMost;
  Known known_[kKnown] = {};
  std::uint32_t execution_ = 0;
  std::uint32_t next_[GuidedTurns::kMost] = {};  // after each turn: the next of its thread
};

}  // namespace jostle
