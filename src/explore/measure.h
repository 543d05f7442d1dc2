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
  bool full, truncated;
  Slot slot[kSlots];

  void add(const covering::Item& item, std::uint64_t execution);
};

CoverageTable* make_coverage_table();
void drop_coverage_table(CoverageTable* table);

// In a process that executes: what is done to the accesses is noted from now on.
void start_measuring(const Session& session);
// After an execution.
void measure(const Session& session, std::uint64_t execution);
// The same where executions have no numbers: in the order of this.
void measure(const Session& session);

// What the table holds of executions before `end`.
void report_measured(const Session& session, std::uint64_t end, Result& result);

}  // namespace jostle::explore
