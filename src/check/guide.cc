#include "check/guide.h"

#include "sched/object.h"

namespace jostle::checking {

void Guide::update(const View& view) {
  const std::uint32_t end = log_->step_count;
  const auto look = [&] {
    if (sleeping_.empty()) looked_at_ = end;
    for (; looked_at_ < end; ++looked_at_) {
      const Step& s = log_->steps[looked_at_];
      for (std::size_t i = 0; i < sleeping_.size();) {
        const Sleeper& z = sleeping_[i];
        bool wakes = z.thread == s.thread;
        for (std::uint32_t a = 0; a < s.accesses && !wakes; ++a)
          for (std::uint32_t b = 0; b < z.touches && !wakes; ++b)
            wakes = conflict(log_->accesses[s.access + a], z.touch[b]);
        if (wakes) {
          sleeping_[i].become(sleeping_.back());
          sleeping_.pop();
        } else {
          ++i;
        }
      }
    }
  };
  // Those who fall asleep at a step see what is done in it.
  while (next_asleep_ < asleep_.size() && asleep_[next_asleep_].step <= end) {
    const Turn& turn = asleep_[next_asleep_++];
    look();
    if (turn.step < end) continue;  // there was no decision at that step
    const ThreadId t = find(view, turn.thread);
    if (t == kNoThread || sleeping_.full()) continue;
    Sleeper& z = sleeping_.append();
    z.thread = t;
    z.touches = foresee(*objects_, view.threads[t], z.touch, Sleeper::kTouches);
    if (fails_.count > 0 && view.threads[t].pending.kind == EventKind::atomic_cas && fails_next(t))
      z.touch[0].touch = Touch::read;
  }
  look();
}

ThreadId Guide::awake(const View& view) {
  const auto asleep = [&](ThreadId t) {
    for (const Sleeper& z : sleeping_)
      if (z.thread == t) return true;
    return false;
  };
  const ThreadId standard = standard_choice(view);
  if (!asleep(standard)) return standard;
  ThreadId best = kNoThread;
  view.enabled().each([&](ThreadId t) {
    if (best == kNoThread && !asleep(t)) best = t;
  });
  return best != kNoThread ? best : standard;
}

bool Guide::fails_next(ThreadId t) const {
  std::uint32_t ordinal = 1;
  for (std::uint32_t i = 0; i < log_->step_count; ++i) {
    const Step& s = log_->steps[i];
    ordinal += s.thread == t && s.matches;
  }
  for (const Fail& f : fails_)
    if (f.ordinal == ordinal && names_->path[f.thread] == log_->path[t]) return true;
  return false;
}

}  // namespace jostle::checking
