// The models of the synchronisation primitives: one function for each thing a program can do.
// All return what the call returns to the program (0 or an errno value) unless they say
// otherwise. `pc` is where the program called.
//
// A misuse that POSIX leaves undefined ends the execution with a finding; one that it defines
// returns its error code, as the manual page says.
#pragma once

#include <cerrno>

#include "sched/scheduler.h"

namespace jostle::model {

// Ends the execution with a finding of kind misuse.
[[noreturn]] void misuse(Scheduler& s, Thread& t, Address a, const char* format, ...)
    __attribute__((format(printf, 4, 5)));

// The limit was over before t came to wait: then it only tries.
inline bool is_over(const Scheduler& s, const Thread& t, std::uint64_t deadline) {
  return deadline != 0 && deadline <= s.now(t);
}
// It has tried in vain: that is what the last event says then.
inline int time_was_up(Scheduler& s) {
  if (s.recording() && s.recorder()->event_count() > 0)
    s.recorder()->event_at(s.recorder()->event_count() - 1).flags |= kTimedOut;
  return ETIMEDOUT;
}
// t needs `o`, which is taken: waits until it was let go, or, if `deadline` is not 0, until
// then. False if time ran out. On return t is not in o.pending.
inline bool wait_for(Scheduler& s, Thread& t, Object& o, bool available, std::uint64_t deadline) {
  t.timed_out = false;
  t.resume = nullptr;
  o.pending.add(t.id);
  t.deadline = deadline;
  t.waiting_on = &o;
  if (available) {
    s.point(t);
  } else {
    s.disable(t, Wait::lock);
    if (deadline) s.arm(t, deadline);
    s.block(t);
  }
  t.waiting_on = nullptr;
  t.deadline = 0;
  o.pending.remove(t.id);
  if (deadline && s.log()) s.log()->had_limit();
  return !t.timed_out;
}
// The same for a lock, which a loop may take at each turn.
inline bool wait_for_lock(Scheduler& s, Thread& t, Object& o, bool available,
                          std::uint64_t deadline) {
  if (deadline) {
    s.may_give_up(o);
  } else if (s.parks(t)) {
    t.timed_out = false;
    return true;
  }
  return wait_for(s, t, o, available, deadline);
}
// Could what is pending be performed on it now?
bool can_take(Scheduler& s, const Object& o, EventKind kind);
// After a change of `o`: enables those pending threads for which can(thread) holds.
template <class Can>
void refresh(Scheduler& s, Object& o, Can can) {
  o.pending.each([&](ThreadId i) {
    Thread& w = s.thread(i);
    if (can(w)) {
      if (!s.enabled(w)) {
        s.disarm(w);
        s.enable(w);
      }
    } else if (s.enabled(w)) {
      s.disable(w, Wait::lock);
      if (w.deadline) s.arm(w, w.deadline);
    }
  });
}

// --- beginning and end of any object --------------------------------------------------------
void object_init(Scheduler&, Thread&, Address, ObjectKind, std::uint64_t pc);
void object_destroy(Scheduler&, Thread&, Address, ObjectKind, std::uint64_t pc);

// --- mutex ------------------------------------------------------------------------------
enum MutexType : std::uint16_t { kNormal = 0, kRecursive = 1, kErrorCheck = 2, kRobust = 16 };
int mutex_lock(Scheduler&, Thread&, Address, std::uint16_t type, std::uint64_t pc,
               std::uint64_t deadline = 0);
int mutex_trylock(Scheduler&, Thread&, Address, std::uint16_t type, std::uint64_t pc);
int mutex_unlock(Scheduler&, Thread&, Address, std::uint16_t type, std::uint64_t pc);
int mutex_consistent(Scheduler&, Thread&, Address, std::uint16_t type);
// Robust mutexes of a thread that ends without unlocking them become "owner dead".
void mutex_owner_died(Scheduler&, Thread&);

// --- condition variable --------------------------------------------------------------------
int cond_wait(Scheduler&, Thread&, Address cond, Address mutex, std::uint16_t mutex_type,
              std::uint64_t pc, std::uint64_t deadline = 0);
int cond_signal(Scheduler&, Thread&, Address, std::uint64_t pc);
int cond_broadcast(Scheduler&, Thread&, Address, std::uint64_t pc);

// --- reader-writer lock ----------------------------------------------------------------------
// `prefers_writers`: a reader does not pass a waiting writer.
int rwlock_rdlock(Scheduler&, Thread&, Address, bool prefers_writers, std::uint64_t pc,
                  std::uint64_t deadline = 0);
int rwlock_wrlock(Scheduler&, Thread&, Address, std::uint64_t pc, std::uint64_t deadline = 0);
int rwlock_tryrdlock(Scheduler&, Thread&, Address, bool prefers_writers, std::uint64_t pc);
int rwlock_trywrlock(Scheduler&, Thread&, Address, std::uint64_t pc);
int rwlock_unlock(Scheduler&, Thread&, Address, std::uint64_t pc);
bool rwlock_can(Scheduler&, const Object&, EventKind);  // could it be taken like this now?

// --- spin lock --------------------------------------------------------------------------------
int spin_lock(Scheduler&, Thread&, Address, std::uint64_t pc);
int spin_trylock(Scheduler&, Thread&, Address, std::uint64_t pc);
int spin_unlock(Scheduler&, Thread&, Address, std::uint64_t pc);

// --- barrier ------------------------------------------------------------------------------------
int barrier_init(Scheduler&, Thread&, Address, std::uint32_t count, std::uint64_t pc);
int barrier_wait(Scheduler&, Thread&, Address, std::uint64_t pc);  // -1 for the serial thread

// --- semaphore (the value stays in the program's own sem_t)
// ----------------------------------------
int sem_init(Scheduler&, Thread&, Address, std::uint32_t first, std::uint64_t pc);
int sem_wait(Scheduler&, Thread&, Address, std::uint64_t pc, std::uint64_t deadline = 0);
int sem_trywait(Scheduler&, Thread&, Address, std::uint64_t pc);
int sem_post(Scheduler&, Thread&, Address, std::uint64_t pc);
int sem_getvalue(Scheduler&, Thread&, Address, std::uint64_t pc, int* out);
bool sem_can(const Object&);  // could it be taken now?
std::uint32_t sem_value(Address);

// --- once and static guards ---------------------------------------------------------------------
// True: the caller runs the initialisation, then calls once_leave(done).
bool once_enter(Scheduler&, Thread&, Address, bool (*is_done)(Address), std::uint64_t pc);
// `written`: bytes there that it sets, for code that looks at them by itself.
void once_leave(Scheduler&, Thread&, Address, bool done, std::uint64_t pc,
                std::uint32_t written = 0);

// --- threads
// ----------------------------------------------------------------------------------------
int thread_join(Scheduler&, Thread&, Thread& target, std::uint64_t pc, std::uint64_t deadline = 0);
int thread_tryjoin(Scheduler&, Thread&, Thread& target, std::uint64_t pc);
int thread_detach(Scheduler&, Thread&, Thread& target, std::uint64_t pc);
int thread_cancel(Scheduler&, Thread&, Thread& target, std::uint64_t pc);
bool waits_at_cancellation_point(const Thread& t);
// True if t has to act on a cancellation request now.
bool cancelled(Thread& t);
void yield(Scheduler&, Thread&, std::uint64_t pc);
// EINTR if a handler of a signal ended it.
int sleep(Scheduler&, Thread&, std::uint64_t deadline, std::uint64_t pc);
// With an address, it is one of several operations on something shared.
void control_point(Scheduler&, Thread&, std::uint64_t pc, Address a = 0,
                   EventKind kind = EventKind::point);

// --- handlers of signals
// -----------------------------------------------------------------------------
// t, which does not run, has something else to do before what it is about to do: whatever it waits
// for, it can go on, with EventKind::signal_handler.
void interrupt(Scheduler&, Thread&);
// Called by t itself when it was picked: what it was about to do. Its handlers run after this.
Doing interruption(Scheduler&, Thread&);
// Afterwards: returns when what it was about to do can be done, or when a wait is over that the
// handlers end. `restarts`: none of them asked that such calls fail.
void go_on(Scheduler&, Thread&, const Doing&, bool restarts);

// --- futex
// -------------------------------------------------------------------------------------------
// Return values as the system call's: >= 0, or a negative errno.
long futex_wait(Scheduler&, Thread&, Address, std::uint32_t expected, std::uint32_t mask,
                std::uint64_t deadline, std::uint64_t pc);
long futex_wake(Scheduler&, Thread&, Address, std::uint32_t count, std::uint32_t mask,
                std::uint64_t pc);
// `expected`: what has to be there, or null.
long futex_requeue(Scheduler&, Thread&, Address from, Address to, std::uint32_t wake,
                   std::uint32_t move, const std::uint32_t* expected, std::uint64_t pc);
// `code`: what is done to the second word, and when those who wait there are woken, too.
long futex_wake_op(Scheduler&, Thread&, Address, std::uint32_t count, Address second,
                   std::uint32_t count_of_second, std::uint32_t code, std::uint64_t pc);

// --- atomics
// --------------------------------------------------------------------------------------- before()
// returns when the operation may be performed on the real memory; then one of the others says what
// happened.
Object& atomic_before(Scheduler&, Thread&, EventKind, Address, std::uint32_t size, int order,
                      std::uint64_t pc);
void atomic_loaded(Scheduler&, Thread&, Object&, int order, std::uint64_t value);
void atomic_stored(Scheduler&, Thread&, Object&, int order, std::uint64_t old, std::uint64_t value);
void atomic_updated(Scheduler&, Thread&, Object&, int order, std::uint64_t old,
                    std::uint64_t value);
void atomic_cas_failed(Scheduler&, Thread&, Object&, int order, std::uint64_t seen, bool spurious);
void atomic_fence(Scheduler&, Thread&, int order, std::uint64_t pc);

}  // namespace jostle::model
