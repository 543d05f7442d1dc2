// A trace for people at a terminal: one column per thread, then what went wrong.
#pragma once

#include <string>

#include "events/trace.h"
#include "report/view.h"

namespace jostle::report {

struct RenderOptions {
  std::size_t width = 80;
  bool color = false;
  std::size_t max_events = 60;  // beyond it, only what lies around switches and the end is shown
};

// Timeline, the ordering that matters, and the failure (without one: the races).
std::string render(const Trace& trace, SymbolSource& symbols, const RenderOptions& options = {});
// The same with the names of a View, for somebody who goes on to talk about the trace.
std::string render(View& v, const RenderOptions& options = {});

// Its parts. Names are given in order of appearance: call them with one View, in this order.
std::string render_timeline(View& v, const RenderOptions& options);
std::string render_problem(View& v, const Problem& p, const RenderOptions& options);

}  // namespace jostle::report
