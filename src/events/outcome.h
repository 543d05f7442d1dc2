// The verdict on one execution.
#pragma once

#include "base/types.h"
#include "events/event.h"
#include "events/kinds.h"

namespace jostle {

// One side of a race, one place of a failure.
struct Place {
  ThreadId thread = kNoThread;
  EventKind kind = EventKind::point;
  std::uint64_t pc = 0;
  std::uint32_t event = 0;  // 1 + index in the trace when it was recorded; 0 = not recorded
};

struct Problem {
  FindingKind kind = FindingKind::none;
  Place place;  // where it showed
  Place other;  // race: the earlier access; heap: the free
  Address address = 0;
  std::uint32_t size = 0;
  std::uint32_t code = 0;  // signal number, exit code, errno
  char file[160] = {};     // where the program itself named a place (assert, EXPECT): else ""
  std::uint32_t line = 0;
  char message[600] = {};
};

// How an execution ended. `failure.kind == none`: all threads came to their end.
struct Outcome {
  Problem failure;
  std::uint32_t steps = 0;  // operations performed at scheduling points
  std::uint32_t decisions = 0;
  std::uint32_t threads = 0;
  std::uint32_t switches = 0;
  std::uint32_t preemptions = 0;
  std::uint64_t signature = 0;  // hash of the order of operations: equal order, equal number
  bool skipped = false;         // the body asked to be skipped (GTEST_SKIP)
  bool leaves_files = false;    // told only while recording
  bool given_up = false;        // nobody wanted to know any longer how it ends
  bool again = false;           // plain writes have to be told: see Plan::watches
  bool left_out = false;        // a thread has tried more often than its bounds allow
  bool held_back = false;       // a thread has seen the same so often that others went first
  bool diverged = false;        // a replay could not follow its schedule
  std::uint32_t diverged_at = 0;
  char divergence[200] = {};
};

}  // namespace jostle
