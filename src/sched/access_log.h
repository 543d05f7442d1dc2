// What the threads of an execution did to what they share, in the order in which they did it:
// plain accesses, atomics, locks, and what orders threads otherwise. Coverage is computed from it.
// Plain data of fixed size, so that it can lie in memory that is shared between processes.
#pragma once

#include "events/kinds.h"
#include "sched/step_log.h"

namespace jostle {

enum class Did : std::uint8_t {
  read,
  write,
  acquire,       // a lock
  read_acquire,  // a reader-writer lock, together with other readers
  release,
  read_release,
  fork,  // object: the new thread
  join,  // object: the thread that has ended
  wait,  // on a condition; the release of the mutex comes just before
  signal,
  post,  // a semaphore
  take,
  arrive,  // at a barrier
  leave,
};

constexpr bool is_memory(Did d) { return d <= Did::write; }
constexpr bool is_acquire(Did d) { return d == Did::acquire || d == Did::read_acquire; }
constexpr bool is_release(Did d) { return d == Did::release || d == Did::read_release; }

// Do two operations on one object depend on each other, as coverage has it? Of a lock's, only an
// acquisition on the release before it.
constexpr bool conflicting(Did first, Did second) {
  if (is_memory(first) && is_memory(second)) return first == Did::write || second == Did::write;
  return (first == Did::release && is_acquire(second)) ||
         (first == Did::read_release && second == Did::acquire);
}

struct AccessRecord {
  std::uint64_t pc;
  Address object;
  ThreadId thread;
  Did did;
  bool reads = false;       // a write that depends on what was there; a signal to all
  std::uint64_t value = 0;  // memory: what was there, up to 8 bytes of it
};

// A place in the code together with what it does there: one call may both release and acquire.
using SiteKey = std::uint64_t;
constexpr SiteKey site_key(std::uint64_t pc, Did d) {
  const auto what = is_acquire(d) ? Did::acquire : is_release(d) ? Did::release : d;
  return (pc & ((1ull << 56) - 1)) | static_cast<std::uint64_t>(what) << 56;
}
constexpr std::uint64_t pc_of(SiteKey k) { return k & ((1ull << 56) - 1); }
constexpr Did did_at(SiteKey k) { return static_cast<Did>(k >> 56); }

struct AccessLog {
  static constexpr std::uint32_t kRecords = 1u << 20;

  std::uint32_t count;
  bool truncated;  // there was more
  AccessRecord records[kRecords];

  void begin() {
    count = 0;
    truncated = false;
  }
  void add(ThreadId t, Did did, Address object, std::uint64_t pc, bool reads = false,
           std::uint64_t value = 0) {
    if (count == kRecords)
      truncated = true;
    else
      records[count++] = {pc, object, t, did, reads, value};
  }
  // A thread has performed its pending operation.
  void performed(const Thread& t, const Object* o, Effect effect);
};

// What an operation of a thread does to an object that coverage knows, if it succeeds.
struct Intent {
  SiteKey site = 0;
  Address object = 0;
  bool may_fail = false;  // a compare-exchange: it may turn out to be a read

  bool at(SiteKey place) const {
    return site == place || (may_fail && pc_of(site) == pc_of(place));
  }
};
// False if nothing. `op`: the pending operation of t, or the one that it has just performed.
bool intends(const Thread& t, const Op& op, Intent& out);
inline bool intends(const Thread& t, Intent& out) { return intends(t, t.pending, out); }

}  // namespace jostle
