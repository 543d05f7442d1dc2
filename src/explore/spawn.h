// isolation=spawn: each execution in a process that was started anew, for programs that have made
// something before the start that forked processes would share: pipes, memory, positions in files.
//
// A forked child that is to execute starts the program again instead. That process comes to its own
// search(), maps the shared memory of the one that it works for, and does what the child would have
// done.
#pragma once

#include <optional>

#include "explore/session.h"

namespace jostle::explore {

// What is to be done, where in shared memory it says more, and which part of that is meant.
struct Spawned {
  enum class Task : char { fresh = 'f', share = 's', place = 'p' } task;
  std::size_t at;
  std::uint32_t which;
};

// Before any shared memory is had: makes it such that it can be mapped again, or maps it again.
void prepare_to_spawn();
// What this process was started for, if another one has started it.
const std::optional<Spawned>& spawned();

inline bool spawns(const Session& s) { return s.spawns && !spawned(); }
// In a forked child: the program again, with that to do.
[[noreturn]] void start_anew(const Session& session, Spawned what);

}  // namespace jostle::explore
