// A synchronisation object of the program: found by its address, alive for one execution.
#pragma once

#include "base/bits.h"
#include "base/mapped.h"
#include "sched/shadow.h"
#include "sched/thread.h"

namespace jostle {

enum class ObjectKind : std::uint8_t {
  none,
  mutex,
  cond,
  rwlock,
  spin,
  barrier,
  semaphore,
  once,
  atomic,
  futex,
};

// What a releasing thread leaves for the acquiring one. Entries past `length` are unknown.
struct Clock {
  Epoch* at;
  std::uint32_t length, capacity;
};

struct Object {
  Address address;
  Cell* cell;          // of its first byte
  std::uint32_t next;  // other objects in the same eight bytes; 0 = none
  ObjectKind kind;
  ThreadId last_thread;  // who operated on it last, and where: coverage
  std::uint64_t last_pc;
  std::uint64_t ahead;  // Thread::ahead of whoever has changed it
  Clock released;

  // Threads whose pending operation needs this object; disabled while it is taken.
  ThreadSet pending;
  // Queue of threads that wait to be woken, in order of arrival.
  ThreadId first_waiter, last_waiter;
  std::uint32_t waiters;

  // What the primitive's model keeps. One primitive uses a few of them; names are generic.
  ThreadId owner;             // mutex, spin, rwlock writer, once runner
  std::uint16_t type;         // mutex kind
  std::uint32_t count;        // recursion, readers, arrived
  std::uint32_t limit;        // barrier size
  std::uint64_t round;        // barrier generation
  std::uint64_t acquired_pc;  // where the owner took it
  bool dead_owner, unrecoverable;
  bool ended;           // mutex, barrier: it was destroyed
  bool polled;          // a thread that takes it at each turn of a loop was parked
  std::uint32_t turns;  // taken or given back, but not by threads that only repeat themselves
  std::uint32_t shared_turns;  // the same by readers
  ThreadSet readers;           // rwlock
  std::uint16_t* again;  // by reader: how often it has taken it besides; null: nobody ever has
  Clock reads, writes;   // atomic: who accessed it atomically, for races with plain code
  std::uint64_t read_pc, write_pc;
};

// Objects by address: an index kept in the shadow cell of the object's first eight bytes. An
// index left by an earlier execution is recognised because the entry's address differs, or is
// right because this execution gave the same index to the same address.
class ObjectTable {
 public:
  explicit ObjectTable(Shadow& shadow) : shadow_(shadow), objects_(1u << 20) { reset(); }

  void reset() { objects_.resize(1); }

  Object* find(Address a, ObjectKind kind) {
    const Cell* c = shadow_.cell(a);
    for (std::uint32_t i = c->object; i != 0 && i < objects_.size(); i = objects_[i].next) {
      Object& o = objects_[i];
      if ((o.address ^ a) >> 3) return nullptr;  // an earlier execution's index
      if (o.address == a && o.kind == kind) return &o;
    }
    return nullptr;
  }

  // Precondition: find() gave null. The table holds a million objects; see full().
  [[gnu::noinline]] Object& add(Address a, ObjectKind kind) {
    Cell* c = shadow_.cell(a);
    const auto index = static_cast<std::uint32_t>(objects_.size());
    const std::uint32_t first = c->object;
    Object& o = objects_.append();
    o.address = a;
    o.cell = c;
    o.next = first != 0 && first < index && ((objects_[first].address ^ a) >> 3) == 0 ? first : 0;
    o.kind = kind;
    o.last_thread = kNoThread;
    o.last_pc = o.ahead = 0;
    o.released = {};
    o.pending.reset();
    o.first_waiter = o.last_waiter = kNoThread;
    o.waiters = 0;
    o.owner = kNoThread;
    o.type = 0;
    o.count = o.limit = 0;
    o.round = 0;
    o.acquired_pc = 0;
    o.dead_owner = o.unrecoverable = o.ended = o.polled = false;
    o.turns = o.shared_turns = 0;
    o.readers.reset();
    o.again = nullptr;
    o.reads = o.writes = {};
    o.read_pc = o.write_pc = 0;
    c->object = index;
    return o;
  }

  // It begins anew, as far as its model goes; who waits for it goes on doing so.
  static void renew(Object& o) {
    o.owner = kNoThread;
    o.type = 0;
    o.count = o.limit = 0;
    o.acquired_pc = 0;
    o.dead_owner = o.unrecoverable = o.ended = false;
    o.readers.reset();
    o.again = nullptr;
    if (o.kind != ObjectKind::barrier) o.released.length = 0;  // some may not have left it yet
  }

  // All objects whose first byte lies in the eight bytes at `a`.
  Object* first_in_cell(const Cell* c, Address a) {
    const std::uint32_t i = c->object;
    if (i == 0 || i >= objects_.size() || ((objects_[i].address ^ a) >> 3)) return nullptr;
    return &objects_[i];
  }
  Object* next_in_cell(const Object& o) { return o.next ? &objects_[o.next] : nullptr; }

  // Does any lie in these bytes?
  bool any_in(Address a, std::size_t size) const {
    for (const Object* o = objects_.begin() + 1; o < objects_.end(); ++o)
      if (o->address >= a && o->address < a + size && o->kind != ObjectKind::none) return true;
    return false;
  }
  bool full() const { return objects_.full(); }
  Object* begin() { return objects_.begin() + 1; }
  Object* end() { return objects_.end(); }

 private:
  Shadow& shadow_;
  MappedVector<Object> objects_;
};

}  // namespace jostle
