// Whose variable lies at an address? While an execution is recorded, the calls on all stacks are
// known at each event: those of the running thread were just walked, those of the others when they
// stopped, those of the caller of run() before the start. Otherwise nothing of this runs.
#pragma once

#include <cstdint>

#include "base/types.h"
#include "events/event.h"
#include "events/registers.h"

namespace jostle {

// The calls on one stack, innermost first; of a deep one only those.
struct FrameList {
  static constexpr std::uint32_t kMost = 256;  // walking costs time at each event
  std::uint32_t count;
  StackFrame at[kMost];

  // Null if the address lies in none of them.
  const StackFrame* find(Address a) const;
};

// Of the call on the calling thread's stack that returns to `pc`. False: there is none.
bool registers_at(std::uint64_t pc, Registers& out);

// The first walk of a process prepares what later ones find: before executions, so that those that
// are recorded, and walk, leave the same to a program that throws as all others.
void prepare_walks();

// Walks the calling thread's stack into `list`, which is made if it is null.
void walk_stack(FrameList*& list);

}  // namespace jostle
