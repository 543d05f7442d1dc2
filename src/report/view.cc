#include "report/view.h"

#include <set>
#include <utility>

namespace jostle::report {

bool View::is_fresh(std::size_t i) {
  if (!looked_for_fresh_) {
    looked_for_fresh_ = true;
    fresh_.resize(trace.events.size());
    std::set<std::pair<Address, Address>> known;  // call, variable
    for (std::size_t k = 0; k < trace.events.size(); ++k) {
      const Event& e = trace.events[k];
      if (e.address == 0 || e.frame == 0 || e.frame > trace.frames.size()) continue;
      fresh_[k] = known.emplace(trace.frames[e.frame - 1].cfa, e.address).second;
    }
  }
  return fresh_[i];
}

bool is_write(const Event& e) {
  switch (e.kind) {
    case EventKind::write:
    case EventKind::atomic_store:
    case EventKind::atomic_rmw:
    case EventKind::free:
      return true;
    case EventKind::atomic_cas:
      return !(e.flags & kFailed);
    default:
      return false;
  }
}

bool is_memory(const Event& e) {
  switch (e.kind) {
    case EventKind::read:
    case EventKind::write:
    case EventKind::atomic_load:
    case EventKind::atomic_store:
    case EventKind::atomic_rmw:
    case EventKind::atomic_cas:
      return true;
    default:
      return false;
  }
}

bool is_acquisition(const Event& e) {
  if (e.flags & kFailed && e.kind != EventKind::cond_reacquire) return false;
  switch (e.kind) {
    case EventKind::mutex_lock:
    case EventKind::mutex_trylock:
    case EventKind::cond_reacquire:  // holds the mutex again even when its time was up
    case EventKind::rwlock_rdlock:
    case EventKind::rwlock_wrlock:
    case EventKind::rwlock_tryrdlock:
    case EventKind::rwlock_trywrlock:
    case EventKind::spin_lock:
    case EventKind::spin_trylock:
    case EventKind::sem_wait:
    case EventKind::sem_trywait:
    case EventKind::once_enter:
      return true;
    default:
      return false;
  }
}

ThreadId interrupted_before(const Trace& t, std::size_t i) {
  while (i > 0 && t.events[i - 1].thread == t.events[i].thread) --i;
  const std::uint32_t d = t.events[i].decision;
  if (d == 0 || d > t.decisions.size()) return kNoThread;
  const Decision& decision = t.decisions[d - 1];
  // A later event has the same decision before it, but that one did not lead there.
  const bool switches =
      decision.kind == ChoiceKind::thread && decision.preempts && decision.event == i;
  return switches && decision.running != t.events[i].thread ? decision.running : kNoThread;
}

bool is_preempted_before(const Trace& t, std::size_t i) {
  return interrupted_before(t, i) != kNoThread;
}

namespace {

bool has_ended(const Trace& t, ThreadId thread, std::size_t now) {
  for (std::size_t i = now; i-- > 0;)
    if (t.events[i].thread == thread) return t.events[i].kind == EventKind::thread_exit;
  return false;
}

}  // namespace

Change change_between(const Trace& t, std::size_t before, std::size_t now) {
  const Event& a = t.events[before];
  const Event& b = t.events[now];
  if (a.thread == b.thread) return {};
  // Over a gap, the switch that leads to this event need not be from the last one shown.
  ThreadId from = a.thread;
  if (now > before + 1 && now > 0) from = t.events[now - 1].thread;
  if (from == b.thread) from = a.thread;
  const ThreadId victim = interrupted_before(t, now);
  std::string why = thread_label(from) + " waits";
  if (victim != kNoThread)
    why = thread_label(victim) + " is interrupted";
  else if (has_ended(t, from, now))
    why = thread_label(from) + " has ended";
  else if (a.kind == EventKind::yield || a.kind == EventKind::sleep)
    why = thread_label(from) + " steps aside";
  return {why + ", " + thread_label(b.thread) + " runs", victim != kNoThread};
}

std::size_t last_acquisition(const Trace& t, ThreadId thread, Address address) {
  for (std::size_t i = t.events.size(); i-- > 0;)
    if (const Event& e = t.events[i];
        e.thread == thread && e.address == address && is_acquisition(e))
      return i;
  return t.events.size();
}

std::size_t last_event(const Trace& t, ThreadId thread, Address address) {
  for (std::size_t i = t.events.size(); i-- > 0;)
    if (t.events[i].thread == thread && t.events[i].address == address) return i;
  return t.events.size();
}

}  // namespace jostle::report
