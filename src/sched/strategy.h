// How a strategy takes part in an execution.
//
//   begin(plan, profile)     before the first step; the strategy seeds itself from plan.seed and
//                          forgets everything about the previous execution
//   pick(view)             at every scheduling point where more than one thread could go on.
//                          Must return a member of view.enabled(). The pending operation of every
//                          thread is visible in the view and has not happened yet.
//   choose(kind, n, view)  at every other choice: 0 <= result < n. 0 is the unremarkable one.
//   created(t), yielded(t) a thread appeared; a thread said, by a call or by spinning, that it
//                          cannot go on without others. A yielding thread is not offered in the
//                          decision that follows unless it is alone.
//   awaits_outside(view)   before every step while a thread waits for the world outside (input, a
//                          signal): true to give it a moment before anybody goes on
//   share()                the execution goes on in several processes, one at a time: how far a
//                          given schedule was followed has to be known to all of them. Returns
//                          where it lies, for adopt() in one that has become another program
//   forked(n)              this is a copy, in the n-th process
//   performed(t)           thread t has just performed view.pending(t); only called if
//                          wants_events(): capability query, so that the others pay nothing
//
// All randomness comes from the strategy's own generator: the same plan gives the same schedule.
// Strategies allocate nothing after construction.
#pragma once

#include "base/bits.h"
#include "base/rng.h"
#include "events/plan.h"
#include "sched/thread.h"

namespace jostle {

// What a strategy may look at.
struct View {
  const Thread* threads = nullptr;
  std::uint32_t count = 0;  // threads created so far, finished ones included
  const ThreadSet* candidates = nullptr;
  ThreadId running = kNoThread;       // who ran last; may be disabled or finished
  ThreadId yielding = kNoThread;      // who said that it waits for others
  std::uint32_t decision = 0;         // number of this decision
  const ThreadId* waiters = nullptr;  // in a choice of one: who they are, in order of arrival

  const ThreadSet& enabled() const { return *candidates; }  // who could go on
  const Op& pending(ThreadId t) const { return threads[t].pending; }
  bool runner_yields() const { return yielding != kNoThread && yielding == running; }
  bool running_enabled() const { return running != kNoThread && candidates->has(running); }
};

// What the default schedule takes: the running thread; if it cannot go on, the first; if it
// yields, the next in cyclic order, so that spinning threads take turns.
ThreadId standard_choice(const View& view);

bool writes(EventKind);

// Operations that do not commute: the same bytes with a write, or the same object.
inline bool racing(const Op& a, const Op& b) {
  const Address a_end = a.address + (a.size ? a.size : 1);
  const Address b_end = b.address + (b.size ? b.size : 1);
  if (a.address >= b_end || b.address >= a_end || a.address == 0 || b.address == 0) return false;
  return writes(a.kind) || writes(b.kind);
}

// Event counts of earlier executions, per thread in creation order (urw, surw).
struct Profile {
  static constexpr std::uint32_t kThreads = 64, kObjects = 16;
  std::uint32_t threads = 0;
  std::uint32_t events[kThreads] = {};
  ThreadId parent[kThreads] = {};
  // Objects in order of first access, with how often each thread accessed them, and which of its
  // operations was its first on it, counted from 1; 0: none.
  std::uint32_t objects = 0;
  Address address[kObjects] = {};
  std::uint32_t accesses[kObjects][kThreads] = {};
  std::uint32_t first[kObjects][kThreads] = {};
};

class Strategy {
 public:
  virtual ~Strategy() = default;

  virtual void begin(const Plan& plan, const Profile& profile) {
    (void)profile;
    rng_.seed(plan.seed);
  }
  virtual ThreadId pick(const View& view) = 0;
  virtual std::uint32_t choose(ChoiceKind kind, std::uint32_t n, const View& view) {
    (void)view;
    // Injected failures stay rare, else a retry loop hardly ever succeeds.
    if (kind == ChoiceKind::weak_cas) return rng_.chance(1, 4) ? 1 : 0;
    return rng_.below(n);
  }
  virtual void created(ThreadId t, ThreadId parent) { (void)t, (void)parent; }
  virtual void yielded(ThreadId t) { (void)t; }
  virtual bool awaits_outside(const View& view) {
    (void)view;
    return false;
  }
  virtual void* share() { return nullptr; }
  virtual void adopt(void* shared) { (void)shared; }
  virtual void forked(std::uint32_t process) { rng_.seed(rng_.next() + process); }
  virtual bool wants_events() const { return false; }
  virtual void performed(const View& view, ThreadId t, const Op& op) {
    (void)view, (void)t, (void)op;
  }

 protected:
  Rng rng_;
};

}  // namespace jostle
