// What happened in one recorded execution. The arrays are views into memory shared with the
// process that executed, or into a copy.
#pragma once

#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "events/event.h"
#include "events/outcome.h"

namespace jostle {

struct Trace {
  Outcome outcome;
  std::vector<Event> events;
  std::vector<Decision> decisions;
  std::vector<ThreadInfo> threads;
  std::vector<std::uint64_t> stacks;  // see Event::stack; offset 0 is an empty stack
  std::vector<StackFrame> frames;     // see Event::frame
  std::vector<Blocked> blocked;       // of a deadlock or livelock
  std::vector<Problem> races;
  // 1 + index of the event at which time is up early, if it was tried that the execution does not
  // fail where another thread goes on instead; 0 = there is none, or nobody has tried.
  std::uint32_t early_limit = 0;
  bool truncated = false;  // there were more events than the recorder has room for

  std::span<const std::uint64_t> stack_of(const Event& e) const {
    if (e.stack == 0 || e.stack >= stacks.size()) return {};
    return {stacks.data() + e.stack + 1, static_cast<std::size_t>(stacks[e.stack])};
  }

  // "0.1.0": first child of main's second child.
  std::string path_of(ThreadId t) const {
    if (t >= threads.size()) return "?";
    if (threads[t].parent == kNoThread) return "0";
    return path_of(threads[t].parent) + "." + std::to_string(threads[t].ordinal);
  }
};

}  // namespace jostle
