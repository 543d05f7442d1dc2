// Makes the executions that a check asks for: in this process, or in others.
#pragma once

#include <memory>
#include <vector>

#include "check/checker.h"
#include "explore/session.h"

namespace jostle::explore {

// What became of a planned execution.
struct Attempt {
  const StepLog* log = nullptr;
  Outcome outcome;
  checking::Followed followed = checking::Followed::exactly;  // its plan
  std::vector<Problem> races;
};

// Of an execution that did not fail, only what a check looks at: there are many.
inline void hand_on(const Outcome& from, Outcome& to) {
  to.given_up = from.given_up;
  to.again = from.again;
  to.skipped = from.skipped;
  to.left_out = from.left_out;
  to.held_back = from.held_back;
  to.failure.kind = from.failure.kind;
  if (JOSTLE_UNLIKELY(from.failure.kind != FindingKind::none)) to = from;
}

// What is the same for all executions between two changes of the scheduling points.
struct Terms {
  std::vector<std::uint64_t> promoted;
  bool watches = false;  // see Plan::watches
};

class Attempts {
 public:
  virtual ~Attempts() = default;
  // How many executions should be asked for at a time.
  virtual std::uint32_t room() const = 0;
  // Makes them, in this order of preference; the logs are valid until the next call. May make
  // fewer, if there is no more time.
  virtual void make(const std::vector<checking::Planned>& plans, const checking::Names& names,
                    const Terms& terms, std::vector<Attempt>& out) = 0;
  // Seconds that other processes were at work, in sum.
  virtual double busy() const { return 0; }
  virtual void uncontrolled(std::vector<std::string>& out) const = 0;
};

std::unique_ptr<Attempts> attempts_here(const Session& session);
// In `jobs` other processes.
std::unique_ptr<Attempts> attempts_elsewhere(Session& session, std::uint32_t jobs);
// In a process that was started for it: see spawn.h.
[[noreturn]] void go_on_with_place(Session& session, std::uint32_t which);

// The departures from the default schedule of an execution.
std::vector<Deviation> deviations_of(const StepLog& log);

}  // namespace jostle::explore
