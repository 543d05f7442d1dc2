// How to schedule one execution. Plain data; written before the execution starts to memory that
// a crash cannot take along.
#pragma once

#include <string>
#include <vector>

#include "base/types.h"
#include "events/event.h"

namespace jostle {

enum class Preempt : std::uint8_t { sync, race, all };

// Choices that could repeat for ever are bounded per execution; the bounds are part of what a
// completed search promises.
struct Bounds {
  std::uint32_t spurious = 0;
  std::uint32_t weak_cas = 1;
  std::uint32_t timeouts = 1;
  static constexpr std::uint32_t kAnyNumber = ~0u;
  std::uint32_t retries = 1;                   // of each thread: see Scheduler::look_again()
  static constexpr std::uint32_t kLooks = 20;  // likewise
  std::uint32_t max_steps = 200'000;
  std::uint32_t patience = 0;  // of the schedule: see Plan::patience
  friend bool operator==(const Bounds&, const Bounds&) = default;
};

// Departure from the default schedule (never preempt; on a block the lowest thread id; first
// waiter; no spurious failure): at decision number `decision`, take `choice`.
struct Deviation {
  std::uint32_t decision = 0;
  std::uint16_t choice = 0;
  ChoiceKind kind = ChoiceKind::thread;
  std::uint64_t path = 0;  // not 0: the thread with this path of creation, instead of `choice`
  friend bool operator==(const Deviation&, const Deviation&) = default;
};

inline constexpr std::uint16_t kReplayStrategy = 0xffff;

// Small enough to be written for each of a million executions a second.
struct Plan {
  std::uint64_t index = 0;  // number of the execution within its run
  std::uint64_t seed = 0;
  std::uint16_t strategy = 0;  // index in the registry, or kReplayStrategy: follow deviations
  std::uint16_t depth = 0;     // d of pct and db
  std::uint32_t length = 0;    // expected number of decisions (k)
  // How many yields and fruitless reads in a row a thread may make before it has to let others
  // go first. 0 finds the way out of a spin at once; larger values also show what happens to a
  // thread that spins for a while and then blocks. What is more than kEach is there only once, for
  // all threads of the execution together: many waits must not make it long.
  std::uint32_t patience = 0;
  static constexpr std::uint32_t kEach = 64;
  // As patience: a thread has to let others go first only where its own state, stack and registers
  // included, is what it was a turn ago. Then nothing is lost; but looking takes time.
  static constexpr std::uint32_t kExact = ~0u;
  // With kExact: plain writes are told, so that states can be compared. It costs a little; without
  // it, an execution in which it turns out to be needed ends at once (Outcome::again).
  bool watches = true;
  std::uint32_t stickiness = 0;  // random: keep the thread with probability 1 - 1/stickiness
};

}  // namespace jostle
