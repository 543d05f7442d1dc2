// One trace with everything needed to talk about it. Names are given in order of appearance, so
// all parts of one report share one View.
#pragma once

#include <vector>

#include "events/trace.h"
#include "report/frames.h"
#include "report/naming.h"
#include "report/source.h"
#include "report/symbols.h"

namespace jostle::report {

struct View {
  View(const Trace& t, SymbolSource& s) : trace(t), symbols(s), naming(t, s) {}

  const Trace& trace;
  SymbolSource& symbols;
  Naming naming;
  Source source;

  // The name of what event number `i` operates on; "" if it operates on nothing.
  std::string object(std::size_t i) {
    const Event& e = trace.events[i];
    return naming.name(e.address, i, e.kind);
  }

  // Is it on a stack, and nothing was done with it before, so that what was there means nothing?
  bool is_fresh(std::size_t i);

 private:
  bool looked_for_fresh_ = false;
  std::vector<bool> fresh_;  // by event
};

// Helpers about events that several reports need.
bool is_write(const Event& e);   // changes memory: write, atomic store, update, successful CAS
bool is_memory(const Event& e);  // a plain or atomic access
// Takes a lock: lock, successful try-lock, relocking after a wait.
bool is_acquisition(const Event& e);
// Did the scheduler interrupt a thread that could go on, just before the uninterrupted stretch of
// one thread's events that event number `i` lies in?
bool is_preempted_before(const Trace& t, std::size_t i);
// The thread that was interrupted; kNoThread if none was.
ThreadId interrupted_before(const Trace& t, std::size_t i);
// Why the execution changes from the thread of event number `before` to that of number `now`, of
// two events that are shown one after the other: "T1 is interrupted, T2 runs". "" if it does not.
struct Change {
  std::string text;
  bool interrupts = false;  // the thread before could have gone on
};
Change change_between(const Trace& t, std::size_t before, std::size_t now);
// Index of the last acquisition of `address` by `thread`; events.size() if there is none.
std::size_t last_acquisition(const Trace& t, ThreadId thread, Address address);
// Index of the last event of `thread` in which it waits for or tries to get `address`.
std::size_t last_event(const Trace& t, ThreadId thread, Address address);

}  // namespace jostle::report
