// Priority functions of your own, for jostle::check: in which order schedules are executed. All of
// them are executed in the end; a good order finds the bug first.
//
//     jostle::add_priority("cache", "departures in the cache first", [](const auto& d) {
//       return d.next_function().find("Cache::") != std::string::npos ? 0u : 1u;
//     });
//     jostle::Options o;
//     o.priority = "cache,pb";
//     jostle::check(body, o);
#pragma once

#include <functional>
#include <string>

namespace jostle {

// A schedule that could be executed next: one that was, up to a step at which another thread goes
// on instead.
class Departure {
 public:
  unsigned step = 0;         // of the schedule that was executed
  unsigned interrupted = 0;  // the thread that went on there, in order of creation
  unsigned next = 0;         // the one that goes on instead
  unsigned preemptions = 0;  // of the schedule, this one included
  unsigned number = 0;       // of the departure, within the search
  // There only to be sure: nobody saw a conflict between the two threads here.
  bool conservative = false;

  // The functions in which the two threads are, innermost first, one a line; with all that was
  // inlined there. Empty if unknown.
  std::string interrupted_function() const { return function_(false); }
  std::string next_function() const { return function_(true); }

  explicit Departure(std::function<std::string(bool next)> function)
      : function_(std::move(function)) {}

 private:
  std::function<std::string(bool)> function_;
};

// From now on `name` can be used in the option `priority`, alone or among others. `cost` is called
// for each departure, in the process that asked for the check; smaller is better, up to 65535.
// False if there is such a name already.
bool add_priority(const std::string& name, const std::string& text,
                  std::function<unsigned(const Departure&)> cost);

}  // namespace jostle
