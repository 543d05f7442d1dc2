#include "explore/explain.h"

#include <algorithm>
#include <vector>

#include "explore/minimize.h"
#include "explore/schedules.h"
#include "report/event_text.h"

namespace jostle::explore {
namespace {

std::size_t common(const Trace& x, const Trace& y) {
  const std::size_t end = std::min(x.events.size(), y.events.size());
  std::size_t i = 0;
  while (i < end && x.events[i].thread == y.events[i].thread && x.events[i].pc == y.events[i].pc &&
         x.events[i].kind == y.events[i].kind)
    ++i;
  return i;
}

bool is_step(const Event& e) { return (e.flags & kStep) != 0; }

// The operation at `from` or after it that is a step of the schedule.
std::size_t step_from(const Trace& t, std::size_t from) {
  while (from < t.events.size() && !is_step(t.events[from])) ++from;
  return from;
}
std::size_t step_before(const Trace& t, std::size_t from) {
  while (from > 0 && !is_step(t.events[from - 1])) --from;
  return from == 0 ? t.events.size() : from - 1;
}

std::string line_of(const Trace& t, std::size_t i, report::View& v) {
  if (i >= t.events.size()) return "the end";
  const Event& e = t.events[i];
  Problem p;
  p.place = {e.thread, e.kind, e.pc, static_cast<std::uint32_t>(i + 1)};
  const report::Frame at = report::where(t, v.symbols, p);
  const std::string who = "T" + std::to_string(e.thread) + " ";
  const std::string what = report::event_text(v, i);
  return (what.starts_with(who) ? what : who + what) +
         (at.file.empty() ? "" : "  " + report::place_text(at));
}

}  // namespace

std::string nearest_passing(Executor& keeper, const Trace& failing, report::Symbols& symbols) {
  Assignment& a = keeper.assignment();
  const std::vector<Deviation> all = deviations_of(failing);
  Trace best;
  std::size_t longest = 0;
  bool found = false;
  const Plan kept = a.plan;
  a.plan = {};
  a.plan.strategy = kReplayStrategy;
  a.plan.patience = kept.patience;
  a.segment_count = 0;
  constexpr std::size_t kMost = 200;
  for (std::size_t left_out = 0; left_out < all.size() && left_out < kMost; ++left_out) {
    a.deviation_count = 0;
    for (std::size_t i = 0; i < all.size() && a.deviation_count < Assignment::kSteps; ++i)
      if (i != left_out) a.deviations[a.deviation_count++] = all[i];
    Fresh f = keeper.run();
    if (!f.ended || f.trace.outcome.failure.kind != FindingKind::none) continue;
    const std::size_t n = common(failing, f.trace);
    if (!found || n > longest) {
      longest = n;
      best = std::move(f.trace);
    }
    found = true;
  }
  a.plan = kept;
  if (!found) return "";
  report::View bad(failing, symbols), good(best, symbols);
  const std::size_t before = step_before(failing, longest);
  const std::size_t fails = step_from(failing, longest), passes = step_from(best, longest);
  std::string text = "The nearest schedule that passes is the same up to here, and then differs:\n";
  if (before < failing.events.size()) text += "    " + line_of(failing, before, bad) + "\n";
  text += "    ├─ passes ─▶ " + line_of(best, passes, good) + "\n";
  text += "    └─ fails ──▶ " + line_of(failing, fails, bad) + "\n";
  return text;
}

}  // namespace jostle::explore
