// One controlled thread, as the scheduler sees it.
#pragma once

#include <csignal>
#include <type_traits>

#include "base/rng.h"
#include "base/types.h"
#include "events/event.h"

namespace jostle {

class Scheduler;
struct Object;
struct Thread;

// How far an announced operation has come with a gate: see gate.h.
enum class GateMark : std::uint8_t { fresh, seen, passed };

// The operation that a thread is about to perform: visible to everybody before it happens.
struct Op {
  EventKind kind;
  std::uint8_t order;
  std::uint16_t size;
  GateMark mark;
  std::uint64_t pc;
  Address address;
};

// Clock values carry the thread's number in their low bits ("epochs"), so that one 64-bit
// comparison answers "did that access happen before what I know?".
using Epoch = std::uint64_t;
inline constexpr std::uint32_t kEpochShift = 10;
inline constexpr Epoch kTick = 1ull << kEpochShift;
static_assert(kMaxThreads <= kTick);
constexpr ThreadId thread_of(Epoch e) { return static_cast<ThreadId>(e & (kTick - 1)); }

// A thread is told by how it came about, not by when: the main thread's path, then for each
// generation which child it was.
inline constexpr std::uint64_t kMainPath = 1;
constexpr std::uint64_t path_of_child(std::uint64_t parent, std::uint16_t ordinal) {
  return combine64(parent, ordinal + 1u);
}

enum class Wait : std::uint8_t {
  none,      // nothing, or an operation that can be performed now
  lock,      // disabled until the object lets it go
  sleeping,  // disabled until its deadline; any number may be ended early
  timed,     // waits for an event or for its deadline, whichever the schedule takes
  untimed,   // waits for an event
  parked,    // only repeats itself: waits until something that it looks at has changed
  left_out,  // has tried too often: what it does next does not belong to the search
};

// What a thread is about to do, and what it waits for until it can: kept while the handler of a
// signal does other things.
struct Doing {
  Op pending;
  Wait wait;
  bool timed_out, woken, spurious;
  std::uint32_t wait_mask;  // futex bitset; thread that a join waits for; AwaitedDescriptor
  std::uint64_t deadline;   // virtual nanoseconds
  Object* waiting_on;
  // What being woken, or timing out, means for the wait.
  void (*resume)(Scheduler&, Thread&);
  Object* reacquire;  // mutex to be taken again after a condition wait
};

// Read by every hook: keep it first.
struct ThreadHead {
  Epoch epoch;           // == clock[id]
  std::uint32_t fuel;    // plain accesses left before a forced scheduling point
  std::uint32_t sealed;  // >0: no preemption (Jostle's own code, or the user asked)
  Scheduler* scheduler;
  ThreadId id;
};

// What is set up again for each thread of each execution: all zero at first, but for what
// Scheduler::add_thread() says.
struct alignas(16) ThreadState : ThreadHead, Doing {
  ThreadId parent;
  ThreadId next_waiter;  // queue of a condition variable or futex
  ThreadId joiner;       // who waits in a join for this thread
  std::uint32_t ran_at;  // the step at which it was last switched to
  std::uint16_t ordinal;
  std::uint16_t children;
  std::uint32_t allocations;  // while there is a step log
  bool finished, detached, joined;
  bool elsewhere;       // in another process of the execution; finished as far as this one goes
  bool helper;          // Jostle's own: the program does not know it, nor do reports of who waits
  bool patient;         // its time does not run out as long as anybody else can go on
  bool in_runtime;      // inside Jostle: hooks and interposers pass through
  std::uint64_t path;   // hash of the path of creation: see path_of_child()
  std::uint64_t ahead;  // nanoseconds: see Scheduler::now()
  std::uint32_t clock_reads;  // since its last operation that told it something
  std::uint32_t times_seen;   // all of them: who has looked at a clock is not where it was before

  // Handlers of signals: see model/interrupt.cc.
  bool interrupted;         // one is to run before the thread goes on
  bool handled, restarts;   // one has run while the thread waited, and its calls go on
  Object* still_queued_in;  // the condition whose queue it has not left while a handler runs

  // Spinning.
  std::uint32_t read_count;  // since the last operation that was no repeated read
  std::uint32_t spins;
  std::uint16_t slices;      // forced scheduling points in a row; five if more
  std::uint16_t retries;     // turns of loops that it has taken back
  std::uint32_t look_count;  // places that it has looked at; see last_looks
  std::uint32_t relocks;     // locks that it has taken again, at one of these places
  std::uint32_t changes;     // operations that changed something, where the schedule is exact
  std::uint64_t net;         // what they come to: as before, once they are undone
  enum class Held : std::uint8_t { never, now, before } held;  // see Scheduler::hold_back()
  bool counts;                 // its looks in vain go on and on, and its state never comes back
  std::uint32_t yields;        // since its last operation that changed something
  std::uint64_t spin_state;    // hash of registers, stack and values at the last full turn
  std::uint64_t state;         // hash after its last operation, while a cycle is looked for
  std::uint64_t yield_state;   // the same, when it last yielded or read what it had read before
  std::uint64_t certified;     // progress stamp at which the thread was seen to repeat itself
  std::uint64_t place;         // of what it is about to look at, with its callers
  std::uint64_t look_state;    // its state when it announced what it is about to look at
  std::uint64_t disturbances;  // plain writes that were told
  std::uint64_t looks;         // operations that changed nothing
  std::uint64_t parked_since;  // while parked: which of them the loop began with

  // Of the operation that is being performed: what was there, and what was hoped for.
  std::uint64_t seen, hoped;

  // Cancellation and end.
  bool cancel_pending, cancel_disabled, cancel_async, exiting;
  std::uint32_t last_write_event;  // recorder: value to be filled in, 1-based
  void* result;
  void* cleanup;  // innermost C cleanup buffer

  // Fences of the memory model.
  Epoch* acquire_pending;  // joined by an acquire fence; null = nothing yet
  Epoch* release_fence;    // published by relaxed stores after a release fence
  std::uint32_t acquire_length, release_length;

  void* carrier;         // belongs to the backend
  std::uint64_t handle;  // pthread_t
  char name[16];
};
static_assert(sizeof(ThreadState) % 16 == 0 && std::is_trivially_copyable_v<ThreadState>);

struct Thread : ThreadState {
  Doing kept;  // while `interrupted`

  // The last reads that taught the thread nothing new: the first `read_count` of them.
  struct Read {
    std::uint64_t pc, value;
    Address address;
    std::uint64_t place;   // with its callers, where the schedule is exact
    std::uint64_t state;   // of the thread, just before
    std::uint64_t number;  // which of its looks it was, the last time
    std::uint16_t size;
    EventKind kind;
    // Of a lock: it was not given back yet; how often it was taken here.
    bool held;
    std::uint32_t times;
  };
  static constexpr std::uint32_t kReads = 16;
  Read reads[kReads];
  // The same where the schedule is exact, whatever the thread has done in between.
  struct Look {
    std::uint64_t pc, place, value;
    Address address;
    std::uint32_t in_vain;           // how often it has seen that again
    std::uint32_t relocks, changes;  // then
    std::uint64_t net, state;
    std::uint32_t step;
    EventKind kind;
    bool got;  // a try that was none in vain
  };
  static constexpr std::uint32_t kLooks = 16;
  Look last_looks[kLooks];  // the last of `look_count`
  // The one that has shown it the same most often; null: none has twice in a row.
  const Look* most_in_vain() const {
    const Look* most = nullptr;
    for (std::uint32_t i = 0; i < look_count && i < kLooks; ++i)
      if (last_looks[i].in_vain > (most ? most->in_vain : 0)) most = &last_looks[i];
    return most;
  }
  // Is it part of the loop that the thread is parked in?
  bool in_loop(const Read& r) const { return r.number >= parked_since; }

  Epoch clock[kMaxThreads];  // what this thread knows of the others
};

}  // namespace jostle
