// Coverage of a search that was not made for it: every execution, of any strategy and in any
// process, enters what it has exposed in one table.
#pragma once

#include <memory>

#include "cover/observer.h"
#include "explore/session.h"
#include "sched/access_log.h"

namespace jostle::explore {

// In memory that all processes of a run share. Entries are claimed by one atomic operation and
// never removed.
struct CoverageTable {
  static constexpr std::uint32_t kSlots = 1u << 18;
  struct Slot {
    std::uint64_t hash;   // 0: free
    std::uint64_t first;  // execution that exposed it first
    std::uint64_t hits;   // executions that exposed it
    covering::Item item;
  };
  std::uint32_t count;
  std::uint64_t executions;  // that had no number
  bool full;
  // Executions have more accesses than can be logged: from then on, only those at places that some
  // execution has seen to touch what other threads do. Were these too many, too?
  bool too_long, truncated;
  std::uint32_t place_count;
  std::uint64_t place[SharedPlaces::kMost];  // 0: not yet written
  Slot slot[kSlots];

  void add(const covering::Item& item, std::uint64_t execution);
  // Both know then what either knew.
  void exchange(SharedPlaces& own);
};

CoverageTable* make_coverage_table();
void drop_coverage_table(CoverageTable* table);

// In a process that executes: what is done to the accesses is noted from now on.
void start_measuring(const Session& session);
// After an execution.
void measure(const Session& session, std::uint64_t execution);
// The same where executions have no numbers: in the order of this.
void measure(const Session& session);

// Executions had more accesses than can be logged: what was done about it.
void note_long_executions(bool too_long, bool selective, Result& result);

// What the table holds of executions before `end`.
void report_measured(const Session& session, std::uint64_t end, Result& result);

}  // namespace jostle::explore
