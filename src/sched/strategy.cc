#include "sched/strategy.h"

namespace jostle {

ThreadId standard_choice(const View& view) {
  const ThreadSet& c = view.enabled();
  if (view.yielding == kNoThread) return c.has(view.running) ? view.running : c.first();
  ThreadId after = kNoThread;
  c.each([&](ThreadId t) {
    if (t > view.yielding && after == kNoThread) after = t;
  });
  return after != kNoThread ? after : c.first();
}

bool writes(EventKind k) {
  switch (k) {
    case EventKind::read:
    case EventKind::atomic_load:
    case EventKind::sem_getvalue:
    case EventKind::thread_start:
    case EventKind::thread_join:
    case EventKind::thread_tryjoin:
    case EventKind::yield:
    case EventKind::sleep:
    case EventKind::fence:
    case EventKind::point:
    case EventKind::io_wait:
      return false;
    default:
      return true;
  }
}

}  // namespace jostle
