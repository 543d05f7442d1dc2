// The steps of an execution as data: what the timeline of the terminal shows, for other formats.
#pragma once

#include <string>
#include <vector>

#include "report/view.h"

namespace jostle::report {

struct Step {
  std::size_t order =
      0;  // number of the event, from 1: the timeline's, and the same for all threads
  ThreadId thread = 0;
  EventKind kind = EventKind::point;
  std::string text;  // "read balance → 100"
  std::string function, file;
  std::uint32_t line = 0;
  // How the execution got here from the step before: "T1 is interrupted, T2 runs"; "" if the same
  // thread went on.
  std::string change;
  bool interrupts = false;  // the thread before could have gone on
  bool marked = false;      // the failure itself: where it shows, a racing access, an endless wait
};

struct StepThread {
  ThreadId id = 0;
  std::string title;  // "T0 (main)"
};

struct Steps {
  std::vector<StepThread> threads;  // those that make a step, ascending
  std::vector<Step> steps;          // in the order in which they happened
};

// The events that are worth showing, then the waits of threads that never go on. Names go on from
// what was rendered with the same View before.
Steps steps_of(View& v, std::size_t limit = 1000);

}  // namespace jostle::report
