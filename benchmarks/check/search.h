// The loop of jostle::check() without what follows a finding, and with figures of its tree on the
// way. The section holds both against each other.
#pragma once

#include <cstdint>
#include <functional>
#include <jostle/options.hpp>

namespace jostle_bench {

// How far a search has come. Plain data: it is handed over in shared memory.
struct Course {
  std::uint64_t executions = 0;  // all of them, up to the failure if there was one
  double seconds = 0;
  double searching = 0;     // of these: between executions, in tree, order, reduction, priorities
  char finding[24] = "";    // kind of the failure; "": none
  bool complete = false;    // all schedules were executed
  bool departed = false;    // some could not be followed, or were too long
  bool raced = false;       // there was a race
  std::uint32_t steps = 0;  // of the longest execution
  // Of the tree, at the end; see Extent.
  std::uint64_t nodes = 0, created = 0, uncompressed = 0;
};

// A measurement of the tree, between two executions.
struct Extent {
  std::uint64_t executions;
  double seconds;
  std::uint64_t nodes, created;
  std::uint64_t uncompressed;  // nodes if each stood for one step of a path to what is to be done
  std::uint64_t besides;       // bytes
};

// Priorities are given as in the options; "deepest", a priority of this program, makes the search
// depth first. Ends at the first failure, after o.budget seconds or o.executions.
Course search_all(void (*body)(), const jostle::Options& o,
                  const std::function<void(const Extent&)>& each_1000 = nullptr);

void register_deepest();

}  // namespace jostle_bench
