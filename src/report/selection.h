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
  std::size_t private_accesses = 0;  // to memory that only one thread ever touched
};

// Leaves out what cannot matter to an interleaving (allocations, accesses to memory of one
// thread); if more than `limit` events remain, keeps the surroundings of switches, the events
// that the failure names, and the end.
Selection select_events(const Trace& t, std::size_t limit);

}  // namespace jostle::report
