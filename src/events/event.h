// What one thread did at one step. Plain data: it lies in memory shared with a child that may
// die at any moment, so nothing here owns anything.
#pragma once

#include "base/types.h"
#include "events/kinds.h"

namespace jostle {

enum EventFlag : std::uint8_t {
  kFailed = 1,       // try-lock that got nothing, CAS that did not match, wait that timed out
  kTimedOut = 2,     // together with kFailed: the reason was time
  kSpurious = 4,     // a wakeup or weak-CAS failure that Jostle chose to inject
  kRelock = 8,       // a recursive acquisition
  kValueKnown = 16,  // `value` holds what was read, or what was written
  kOldKnown = 32,    // `old` holds what was there before
  kRacing = 64,      // one of the two accesses of a reported race
  kStep = 128,       // performed at a scheduling point; the others are only told
};

struct Event {
  std::uint64_t pc = 0;     // return address of the hook or interposed call
  Address address = 0;      // the memory or the object operated on; 0 if none
  std::uint64_t value = 0;  // read or written; bytes allocated; return value of a thread; …
  std::uint64_t old = 0;
  std::uint32_t size = 0;      // bytes accessed
  std::uint32_t stack = 0;     // offset into Trace::stacks: a count, then that many pcs
  std::uint32_t decision = 0;  // 1 + index of the decision taken just before; 0 = there was none
  std::uint32_t frame = 0;     // 1 + index into Trace::frames: where `address` lay; 0 = on no stack
  ThreadId thread = 0;
  ThreadId other = kNoThread;  // created, joined, woken or owning thread; when time is up early,
                               // one that could go on
  EventKind kind = EventKind::point;
  std::uint8_t order = 0;  // std::memory_order of an atomic
  std::uint8_t flags = 0;
};

// A place where the execution could have gone on in more than one way.
enum class ChoiceKind : std::uint8_t {
  thread,    // which thread runs next; option = its id
  waiter,    // which waiter a signal wakes; option = its rank among the waiters
  weak_cas,  // 0 = behaves as strong, 1 = fails
};

struct Decision {
  std::uint32_t event = 0;     // index of the event that came next
  std::uint16_t options = 0;   // how many
  std::uint16_t chosen = 0;    // a thread id, or a rank
  std::uint16_t standard = 0;  // what the default schedule takes here
  ThreadId running = kNoThread;
  ChoiceKind kind = ChoiceKind::thread;
  bool preempts = false;  // chosen differs from running although running could go on
  // What `running` was about to do if it is not the one that goes on. It may never come to do it.
  EventKind next = EventKind::point;
  std::uint32_t stack = 0;  // as in Event
};

// A call that had not returned, on the stack of any thread: its variables lie between `sp` and
// `cfa`.
struct StackFrame {
  std::uint64_t pc = 0;  // return address into the function
  Address cfa = 0;       // the stack pointer before the call (DWARF: canonical frame address)
  Address sp = 0, bp = 0;
  // The call that it makes: arguments passed on the stack lie here, but are variables of that one.
  std::uint64_t callee_pc = 0;
  Address callee_bp = 0;
  friend bool operator==(const StackFrame&, const StackFrame&) = default;
};

struct ThreadInfo {
  ThreadId parent = kNoThread;
  std::uint16_t ordinal = 0;  // how many children the parent had before
  std::uint32_t create_event = 0;
  char name[16] = {};
};

// A thread that can never go on, and what for.
// A descriptor that a thread waits for, or the end of a child process.
enum class DescriptorKind : std::uint8_t { unknown, pipe, socket, event_counter, epoll, process };
struct AwaitedDescriptor {
  std::uint16_t number;
  DescriptorKind kind;
  bool known : 1;    // else there is none
  bool writes : 1;   // else: reads
  bool several : 1;  // it is the first of them
};
static_assert(sizeof(AwaitedDescriptor) == 4);

struct Blocked {
  ThreadId thread = 0;
  ThreadId owner = kNoThread;  // who holds what it waits for, if anybody
  EventKind kind = EventKind::mutex_lock;
  bool spinning = false;  // it runs, but in a loop that nothing can end
  Address address = 0;
  std::uint64_t pc = 0;
  std::uint32_t frame = 0;  // as in Event
  std::uint32_t stack = 0;  // the same
  AwaitedDescriptor descriptor = {};
};

}  // namespace jostle
