// What each step of an execution did: as little as a systematic search needs to know which steps
// could have been made in another order. Plain data of fixed size, so that it can lie in memory
// that is shared between processes and outlives them.
//
// A step is what a thread does between two scheduling points: its operation, and whatever it
// computes until it announces the next one.
#pragma once

#include "sched/strategy.h"
#include "sched/touch.h"

namespace jostle {

struct Object;

struct Access {
  Address object;
  std::uint64_t before;   // memory, semaphores: the value that was there
  std::uint64_t operand;  // compare-exchange, futex wait: the value that was hoped for
  std::uint32_t size;     // memory: bytes
  Touch touch;
};
static_assert(std::has_unique_object_representations_v<Access>);

struct Step {
  std::uint64_t pc;
  std::uint32_t access;       // the first of its accesses
  std::uint32_t decision;     // 1 + number of the decision for it; 0: nobody else could go on
  std::uint32_t candidates;   // in `lists`: who could have gone on; only if there was a decision
  std::uint32_t waiters;      // in `lists`: whom a signal could have woken, in order
  std::uint32_t enabled_by;   // 1 + number of the step without which the thread would still wait
  std::uint32_t choice_made;  // 1 + number of the decision about the choice
  std::uint16_t accesses;
  std::uint16_t candidate_count;
  std::uint16_t choice, options;  // weak compare-exchange, waiter (rank): taken, and how many
  ThreadId thread, running, standard;
  EventKind kind;
  ChoiceKind choice_kind;
  bool preempts;
  bool awaited;      // had stopped because it only repeated itself
  bool timed;        // it waited with a limit
  bool conditional;  // what it does to the object depends on what it finds
  bool idle;         // time ran out only because nobody else could go on
  bool early;        // time ran out although somebody else could go on: of these, there is a bound
  bool weak;         // a compare-exchange that may fail for no reason
  bool matches;      // it could also succeed
  std::uint8_t
      unused[8];  // 0: many are compared at once, as bytes; and each is a line of the cache

  bool fails() const { return weak && choice != 0; }  // for no reason
  bool could_fail() const { return weak && choice_made; }
};
static_assert(std::has_unique_object_representations_v<Step> && sizeof(Step) == 64);

// Do the two depend on each other? Accesses, or as much of them as this looks at.
template <class A>
bool conflict(const A& a, const A& b) {
  if (!dependent(a.touch, b.touch)) return false;
  if (class_of(a.touch) != TouchClass::memory) return a.object == b.object;
  return a.object < b.object + b.size && b.object < a.object + a.size;
}

enum class Effect : std::uint8_t { changed, looked, nothing };

// Memory that belongs to a thread: its stack, or what it has allocated. Where that lies is another
// place in another execution, or process; what it is is not.
struct Area {
  Address begin;
  std::uint64_t size;
  std::uint64_t id;  // the same in every execution
};

struct StepLog {
  static constexpr std::uint32_t kSteps = 1u << 18, kAccesses = 1u << 19, kLists = 1u << 21,
                                 kAreas = 1u << 18;

  // Objects that are no memory: numbers that no address has.
  static constexpr Address kClock = 1, kSpurious = 2;
  static constexpr Address thread_object(ThreadId t) { return 16u + t; }

  std::uint32_t step_count, access_count, list_count, area_count;
  std::uint32_t thread_count;
  std::uint32_t timeouts;     // bound on those that are early
  std::uint32_t weak_cas;     // bound on compare-exchanges that fail for no reason
  bool any_weak, any_choice;  // of the steps; a choice whom to wake
  bool truncated;             // it was too long: what is here is not all
  char beyond[64];            // not "": something was done that is not in the table
  bool over;                  // the execution came to its end
  ThreadId ended_by;          // who ended it while others could go on; kNoThread: nobody
  ThreadId limited;           // the first that waited with a limit; kNoThread: nobody
  bool limits;                // others did so, too
  bool slept, ran_out;        // sleeps have ended; limits have passed only when nobody could go on
  bool open;                  // steps[step_count] has been decided on and waits for its operation
  bool merge;                 // the next operation belongs to the last step
  bool limit;                 // the next step waits with a limit
  std::uint64_t path[kMaxThreads];        // of the threads
  std::uint32_t enabled_by[kMaxThreads];  // for the next step of each
  // Steps from and until which it was held back: see Scheduler::hold_back().
  std::uint32_t held_from[kMaxThreads], held_until[kMaxThreads];
  // What the threads that were not done wanted to do next.
  std::uint32_t pending_count;
  Step pending[kMaxThreads];
  Step steps[kSteps];
  Access accesses[kAccesses];
  ThreadId lists[kLists];
  Area areas[kAreas];  // beyond that, addresses are taken for what they are

  void begin(std::uint32_t most_timeouts = 0, std::uint32_t most_weak_cas = 0) {
    timeouts = most_timeouts;
    weak_cas = most_weak_cas;
    step_count = access_count = list_count = area_count = thread_count = pending_count = 0;
    any_weak = any_choice = truncated = over = open = merge = limit = limits = slept = ran_out =
        false;
    ended_by = limited = kNoThread;
    beyond[0] = 0;
  }
  void created(ThreadId t, std::uint64_t path_of_t) {
    path[t] = path_of_t;
    enabled_by[t] = step_count + 1;
    held_from[t] = held_until[t] = 0;
    thread_count = t + 1u;
  }
  void holds_back(ThreadId t) {
    held_from[t] = step_count + open;
    held_until[t] = ~0u;
  }
  void no_longer_holds_back(ThreadId t) { held_until[t] = step_count + open; }
  // Its stack.
  void stands_on(const Thread& t, Address low, std::uint64_t size);
  void allocated(Thread& t, Address block, std::uint64_t size);
  // Thread w would wait for ever but for the step that is being made.
  void woke(ThreadId w) { enabled_by[w] = step_count + 1; }
  void decided(const View& view, ThreadId chosen, bool by_choice);
  void chosen(ThreadId t, ChoiceKind kind, std::uint32_t options, std::uint32_t choice,
              std::uint32_t decision, const ThreadId* waiters);
  // The compare-exchange that t is about to make is weak. `matches`: it could succeed.
  void is_weak(ThreadId t, bool matches);
  // Time ran out for t, or it wakes for no reason.
  enum class Fired : std::uint8_t { early, in_time, idle, spurious, rested };
  void fired(const Thread& t, Fired how);
  // Before the next decision: the last step is over, even if nothing was done but to wake up.
  void complete() {
    if (open) close();
  }
  // t had only repeated itself, and something that it looks at has changed.
  void resumed() {
    if (open) steps[step_count].awaited = true;
  }
  void performed(const Thread& t, const Object* o, Effect effect);
  // The step that was made last has done this, too.
  void also(Touch touch, Address object) {
    if (step_count > 0 && !open) add(steps[step_count - 1], touch, object);
  }
  // Time may run out for t, which has just begun to wait.
  void sets_limit(ThreadId t) {
    if (step_count > 0 && !open && steps[step_count - 1].thread == t)
      steps[step_count - 1].timed = true;
    if (limited == kNoThread) limited = t;
    limits |= limited != t;
  }
  // The operation that is about to be performed could have waited with a limit, or has.
  void had_limit() { (open ? steps[step_count].timed : limit) = true; }
  void finished(const Thread& t);
  void left_over(const Thread& t, bool can_go_on);
  void cannot_tell(const char* what);

 private:
  Step& fresh(ThreadId t);
  void close() {
    open = false;
    ++step_count;
  }
  void add(Step& s, Touch touch, Address object, std::uint32_t size = 1, std::uint64_t before = 0,
           std::uint64_t operand = 0);
  void touches(Step& s, const Thread& t, const Object* o, Effect effect);
  void belongs(Address begin, std::uint64_t size, std::uint64_t id) {
    if (area_count < kAreas) areas[area_count++] = {begin, size, id};
  }
};

// What the pending operation of a thread that can go on would do now; at most `room` touches.
class ObjectTable;
std::uint32_t foresee(ObjectTable& objects, const Thread& t, Access* out, std::uint32_t room);

}  // namespace jostle
