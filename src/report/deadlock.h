// Who waits for whom, and why that will never end.
#pragma once

#include <string>
#include <vector>

#include "report/view.h"

namespace jostle::report {

enum class Stuck {
  cycle,        // waits for a thread that, over some others, waits for it
  itself,       // waits for a lock that it holds
  abandoned,    // waits for a lock whose holder has ended
  inherited,    // waits for a lock whose holder exists in the parent process only
  behind,       // waits for a thread that is stuck for a reason of its own
  lost_signal,  // waits on something that was signalled, but before anybody waited
  used_signal,  // the last signal woke a thread: another one, or this one, which waits again
  no_signal,    // waits on something that nobody signals
  spinning,     // runs round a loop that only another thread could end
};

// For the i-th of Trace::blocked.
Stuck why_stuck(const Trace& t, std::size_t i);
// The cycle that the i-th is part of, as indices into Trace::blocked, starting with i.
std::vector<std::size_t> cycle_of(const Trace& t, std::size_t i);
// Index of the last signal, post or wake of what the i-th waits on; events.size() if none.
std::size_t last_signal(const Trace& t, std::size_t i);

// It wants to read what only readers hold, but its owner waits to write, and comes first.
bool is_behind_writer(const Trace& t, const Blocked& b);

// "waits for mutex A", "spins in f on done", "waits for the end of T1".
std::string wait_text(View& v, const Blocked& b);

// The i-th is there because of a used signal: "T2, which waits again".
std::string after_waking(const Trace& t, std::size_t i);

std::string deadlock_headline(const Trace& t);
std::string deadlock_ordering(View& v);  // "" if it cannot be told in one sentence

}  // namespace jostle::report
