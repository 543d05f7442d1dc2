// In which order executions are made: each function gives a departure a cost, smaller is better,
// and several are compared one after the other.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"
#include "check/order.h"

namespace jostle::checking {

// A departure from an execution: at step `step`, `thread` goes on instead. To be looked at only
// while costs are given.
struct Departure {
  const StepLog& log;
  const Order& order;
  std::uint32_t step;
  ThreadId thread;            // in this execution
  std::uint32_t preemptions;  // of the execution to be made, this one included
  std::uint32_t number;       // of the departure, within the search
  bool conservative;          // not because this thread's operation conflicts, but to be sure
  bool asleep;                // sleep sets would leave it out
  bool by_race;               // partial-order reduction would take it
};

class Priority {
 public:
  virtual ~Priority() = default;
  virtual std::uint16_t cost(const Departure& d) = 0;
  // Of what the user has named, what no departure had to do with; "": nothing.
  virtual std::string unmet() const { return ""; }
};

// What priorities know about the program's text.
struct Code {
  std::function<std::string(std::uint64_t pc)> function;
  std::function<std::string(Address)> variable;
  // Is the line of `pc` among those that are named: a range of git's, or file:first-last?
  std::function<bool(const std::vector<std::string>& what, std::uint64_t pc)> recent;
};

struct PriorityEntry {
  std::string name;
  std::string text;
  std::function<std::unique_ptr<Priority>(const std::vector<std::string>& arguments,
                                          std::uint64_t seed, const Code& code)>
      make;
  bool names = false;  // it is about what the user names in its arguments
};
const std::vector<PriorityEntry>& priorities();
// False if there is one of that name.
bool register_priority(PriorityEntry entry);

using Priorities = std::vector<std::unique_ptr<Priority>>;
// "mdpor,pb", "method(push,pop),pb"
Expected<Priorities> make_priorities(std::string_view text, std::uint64_t seed, const Code& code);
// Several of these, that take turns: "mdpor,pb;rand;rand". Each has a seed of its own.
Expected<std::vector<Priorities>> make_orders(std::string_view text, std::uint64_t seed,
                                              const Code& code);

}  // namespace jostle::checking
