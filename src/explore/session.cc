#include "explore/session.h"

namespace jostle::explore {

Settings settings_of(const Options& o) {
  Settings s;
  s.preempt = static_cast<Preempt>(o.preempt);
  s.bounds = {o.spurious, o.weak_cas, o.timeouts, o.max_steps, 0};
  s.races = o.races;
  s.heap = o.heap_checks;
  return s;
}

Replay& replay_strategy() {
  static Replay& r = *new Replay;
  return r;
}

Segments& segment_strategy() {
  static Segments& s = *new Segments;
  return s;
}

Strategy& strategy_for(const Plan& plan) {
  if (plan.strategy == kReplayStrategy) return replay_strategy();
  if (plan.strategy == kSegmentStrategy) return segment_strategy();
  return strategies()[plan.strategy].instance();
}

void apply_sites(Engine& e, const Assignment& a) {
  e.clear_sites();
  if (a.record) std::memset(e.filter, kRecorded, sizeof e.filter);
  for (std::uint32_t i = 0; i < a.promoted_count; ++i) e.set_site(a.promoted[i], kPromoted);
  if (a.record)
    for (std::uint32_t i = 0; i < a.watched_count; ++i) e.set_site(a.watched[i], kWatched);
}

}  // namespace jostle::explore
