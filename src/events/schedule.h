// A schedule as it is kept on disk: which departures from the default schedule lead to a
// finding, each anchored to the source so that it can be found again after an edit.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "events/plan.h"

namespace jostle {

struct Anchor {
  std::string thread;  // path of creation: "0.1"
  EventKind kind = EventKind::point;
  std::string function;  // demangled, without arguments; may be empty
  std::string file;      // base name
  std::uint32_t line = 0;
  std::uint32_t occurrence = 0;  // how often this thread was at this function, line and kind before
  friend bool operator==(const Anchor&, const Anchor&) = default;
};

struct ScheduleStep {
  std::uint32_t decision = 0;
  ChoiceKind kind = ChoiceKind::thread;
  std::string choice;  // thread path for ChoiceKind::thread, else a number
  Anchor at;           // the event that the running thread was about to perform
  friend bool operator==(const ScheduleStep&, const ScheduleStep&) = default;
};

// A plain memory access that the schedule needs as a scheduling point.
struct PromotedSite {
  std::uint64_t offset = 0;  // in the program's image, for the same build
  std::string function, file;
  std::uint32_t line = 0;
  friend bool operator==(const PromotedSite&, const PromotedSite&) = default;
};

struct Schedule {
  std::string tool_version;
  std::string program;                 // path of the executable
  std::vector<std::string> arguments;  // with which to start it
  std::string test;                    // name of the run inside the program: "Bank.Transfer"
  std::string build_id;                // hex
  std::string finding;                 // kind
  std::string message;                 // one line
  std::string place;                   // "file:line" where it shows, or ""
  std::string backend;                 // "fibers" or "threads"
  bool whole_program = false;          // main() and all, not a test inside
  std::string directory;               // whole programs: in which it was started
  std::string input;                   // whole programs: file that was standard input, or ""
  std::vector<std::pair<std::string, std::string>> options;  // that the program needs around it
  Preempt preempt = Preempt::race;
  Bounds bounds;
  std::vector<PromotedSite> promoted;
  std::vector<ScheduleStep> steps;
  friend bool operator==(const Schedule& a, const Schedule& b) {
    return a.tool_version == b.tool_version && a.program == b.program &&
           a.arguments == b.arguments && a.test == b.test && a.build_id == b.build_id &&
           a.finding == b.finding && a.message == b.message && a.place == b.place &&
           a.backend == b.backend && a.whole_program == b.whole_program &&
           a.directory == b.directory && a.input == b.input && a.options == b.options &&
           a.preempt == b.preempt && a.bounds == b.bounds && a.promoted == b.promoted &&
           a.steps == b.steps;
  }
};

}  // namespace jostle
