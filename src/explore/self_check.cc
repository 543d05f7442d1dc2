#include "explore/self_check.h"

#include <algorithm>

#include "explore/rounds.h"
#include "report/event_text.h"

namespace jostle::explore {
namespace {

std::string told(const Trace& t, std::size_t i, report::Symbols& symbols) {
  if (i >= t.events.size()) return "the execution has ended";
  report::View view(t, symbols);
  const Event& e = t.events[i];
  Problem p;
  p.place = {e.thread, e.kind, e.pc, static_cast<std::uint32_t>(i + 1)};
  const report::Frame at = report::where(t, symbols, p);
  return "T" + std::to_string(e.thread) + " '" + report::event_text(view, i) + "'" +
         (at.file.empty() ? "" : " at " + report::place_text(at));
}

}  // namespace

void check_determinism(const Session& session, Keeper& keeper, Result& result) {
  Assignment& a = keeper.assignment();
  a.clear();
  a.plan.strategy = static_cast<std::uint16_t>(find_strategy("random"));
  a.plan.stickiness = 4;
  a.plan.seed = session.options.seed;
  a.record = true;
  const double start = monotonic_seconds();
  const Fresh first = keeper.run();
  // Not worth the time where one execution takes long, and a failure is told soon enough.
  if (!first.ended || monotonic_seconds() - start > 2) return;
  const Fresh second = keeper.run();
  if (!second.ended) return;
  const auto& x = first.trace.events;
  const auto& y = second.trace.events;
  const std::size_t end = std::min(x.size(), y.size());
  std::size_t i = 0;
  while (i < end && x[i].thread == y[i].thread && x[i].kind == y[i].kind && x[i].pc == y[i].pc) ++i;
  if (i == end && x.size() == y.size()) return;
  report::Symbols symbols;
  result.uncontrolled.push_back(
      "something that the program depends on: the same schedule gave two executions; operation " +
      std::to_string(i + 1) + " was " + told(first.trace, i, symbols) +
      " in one, and in the other " + told(second.trace, i, symbols) +
      ". Time, addresses, random numbers and threads are the same in both, so look for input, "
      "files and other processes");
}

}  // namespace jostle::explore
