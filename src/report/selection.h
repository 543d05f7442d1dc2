// Which events of a trace are worth showing.
#pragma once

#include <cstddef>
#include <vector>

#include "report/view.h"

namespace jostle::report {

struct Selection {
  std::vector<std::size_t> events;  // to be shown, ascending
  // Events left out just before events[i], and after the last one.
  std::vector<std::size_t> skipped;
  std::size_t private_events = 0;  // of those, how many on what only one thread ever touched
};

// Leaves out what cannot matter to an interleaving: allocations, accesses to memory of one thread
// and what libraries do with their own locks, memory that is handed to a new thread and not
// changed any more, the bytes of locks. If more than `limit` events remain, keeps the surroundings
// of switches, the events that the failure names, and the end.
Selection select_events(View& v, std::size_t limit);

}  // namespace jostle::report
