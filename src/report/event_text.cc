#include "report/event_text.h"

#include <cstdio>

namespace jostle::report {
namespace {

std::string order_text(const Event& e) {
  constexpr const char* kOrders[] = {" (relaxed)", " (consume)", " (acquire)",
                                     " (release)", " (acq_rel)", ""};
  return e.order < 6 ? kOrders[e.order] : "";
}

std::string access_text(View& v, std::size_t i) {
  const Event& e = v.trace.events[i];
  std::string text = std::string(text_of(e.kind)) + " ";
  if (e.address >= 4096)
    text += v.object(i);
  else
    text += e.address == 0 ? "null" : "null+" + std::to_string(e.address);
  const bool value = e.flags & kValueKnown;
  const bool old = (e.flags & kOldKnown) && (e.kind != EventKind::write || !v.is_fresh(i));
  const auto show = [&](std::uint64_t x) { return value_text(v, x, e.size, i); };
  if (e.kind == EventKind::atomic_cas && (e.flags & kFailed)) {
    text += e.flags & kSpurious ? ": fails spuriously" : ": fails";
    if (old || value) text += ", is " + show(old ? e.old : e.value);
  } else if (!is_write(e)) {
    if (value) text += " → " + show(e.value);
  } else if (old && value) {
    text += ": " + show(e.old) + " → " + show(e.value);
  } else if (value) {
    text += " = " + show(e.value);
  }
  if (class_of(e.kind) != EventClass::access) text += order_text(e);
  return text;
}

std::string failure_text(const Event& e) {
  if (e.flags & kRelock) return ": it holds that already";
  switch (e.kind) {
    case EventKind::futex_wait:
      return ": value differs";
    case EventKind::mutex_unlock:
      return ": it does not hold that";
    case EventKind::mutex_lock:
    case EventKind::cond_reacquire:
      return ": not recoverable";
    case EventKind::mutex_trylock:  // of one that nobody holds
      return e.other == kNoThread ? ": not recoverable" : ": not free";
    case EventKind::sem_wait:
      return ": interrupted";
    case EventKind::sem_post:
      return ": the value would be too large";
    case EventKind::once_done:
      return ": ended by an exception";
    default:
      return ": not free";
  }
}

std::string outcome_text(const Event& e) {
  if (e.flags & kTimedOut) return ": time is up";
  if (e.flags & kSpurious) return " (spurious wakeup)";
  if (e.flags & kFailed) return failure_text(e);
  return e.flags & kRelock ? " (again)" : "";
}

}  // namespace

std::string value_text(View& v, std::uint64_t value, std::uint32_t size, std::size_t event) {
  if (size == 0 || size > 8) size = 8;
  const unsigned shift = 64 - size * 8;
  const auto number = static_cast<std::int64_t>(value << shift) >> shift;
  constexpr std::int64_t kSmall = 1ll << 40;
  if (size < 8 || (number > -kSmall && number < kSmall)) return std::to_string(number);
  // Programs live below 2^47: it is a pointer.
  if (number > 0 && number < 1ll << 47) return "&" + v.naming.name(value, event);
  char hex[32];
  std::snprintf(hex, sizeof hex, "0x%llx", static_cast<unsigned long long>(value));
  return hex;
}

std::string event_text(View& v, std::size_t i) {
  const Event& e = v.trace.events[i];
  const Problem& failure = v.trace.outcome.failure;
  if (e.kind == EventKind::point && failure.place.event == i + 1)
    return "✗ " + std::string(name_of(failure.kind));
  const std::string text(text_of(e.kind));
  const std::string other = e.other == kNoThread ? "" : thread_label(e.other);
  if (is_memory(e)) return access_text(v, i);
  switch (e.kind) {
    case EventKind::thread_start:
    case EventKind::thread_exit:
      return thread_label(e.thread) + text.substr(6);
    case EventKind::thread_create:
      return "create " + (other.empty() ? "thread" : other);
    case EventKind::process_fork:
      return text + (other.empty() ? "" : " a process: " + other);
    case EventKind::thread_join:
      return "join " + (other.empty() ? "thread" : other);
    case EventKind::thread_tryjoin:
      return "try to join " + other + (e.flags & kFailed ? ": still runs" : "");
    case EventKind::thread_detach:
      return "detach " + (other.empty() ? "thread" : other);
    case EventKind::thread_cancel:
      return "cancel " + (other.empty() ? "thread" : other);
    case EventKind::thread_kill:
      return text + (other.empty() ? "" : " to " + other);
    case EventKind::alloc:
      return "allocate " + std::to_string(e.value) + " bytes";
    case EventKind::free:
      return "free " + v.object(i);
    case EventKind::cond_signal:
      return "signal " + v.object(i) + (other.empty() ? ": nobody waits" : ", wakes " + other);
    default:
      break;
  }
  std::string object = v.object(i);
  if (!object.empty()) object.insert(0, " ");
  return text + object + outcome_text(e);
}

namespace {

struct Words {
  EventKind kind;
  std::string_view verb, participle;
};
constexpr Words kWords[] = {
    {EventKind::read, "reads", "read"},
    {EventKind::write, "writes", "written"},
    {EventKind::atomic_load, "reads", "read"},
    {EventKind::atomic_store, "writes", "written"},
    {EventKind::atomic_rmw, "updates", "updated"},
    {EventKind::atomic_cas, "compare-exchanges", "compare-exchanged"},
    {EventKind::free, "frees", "freed"},
    {EventKind::alloc, "allocates", "allocated"},
    {EventKind::mutex_lock, "locks", "locked"},
    {EventKind::mutex_trylock, "tries to lock", "tried"},
    {EventKind::mutex_unlock, "unlocks", "unlocked"},
    {EventKind::object_init, "initialises", "initialised"},
    {EventKind::object_destroy, "destroys", "destroyed"},
    {EventKind::cond_wait, "waits on", "waited on"},
    {EventKind::cond_reacquire, "relocks after waiting on", "relocked"},
    {EventKind::cond_signal, "signals", "signalled"},
    {EventKind::cond_broadcast, "broadcasts", "broadcast"},
    {EventKind::rwlock_rdlock, "locks for reading", "locked for reading"},
    {EventKind::rwlock_wrlock, "locks for writing", "locked for writing"},
    {EventKind::rwlock_tryrdlock, "tries to lock", "tried"},
    {EventKind::rwlock_trywrlock, "tries to lock", "tried"},
    {EventKind::rwlock_unlock, "unlocks", "unlocked"},
    {EventKind::spin_lock, "locks", "locked"},
    {EventKind::spin_trylock, "tries to lock", "tried"},
    {EventKind::spin_unlock, "unlocks", "unlocked"},
    {EventKind::barrier_arrive, "arrives at", "reached"},
    {EventKind::sem_wait, "waits on", "waited on"},
    {EventKind::sem_trywait, "tries", "tried"},
    {EventKind::sem_post, "posts", "posted"},
    {EventKind::once_enter, "enters", "entered"},
    {EventKind::futex_wait, "waits on", "waited on"},
    {EventKind::futex_wake, "wakes", "woken"},
    {EventKind::stream_write, "writes to", "written to"},
    {EventKind::stream_read, "reads from", "read from"},
    {EventKind::stream_use, "uses", "used"},
    {EventKind::thread_join, "joins", "joined"},
};

}  // namespace

std::string_view verb(EventKind kind) {
  for (const Words& w : kWords)
    if (w.kind == kind) return w.verb;
  return "uses";
}

std::string_view participle(EventKind kind) {
  for (const Words& w : kWords)
    if (w.kind == kind) return w.participle;
  return "used";
}

}  // namespace jostle::report
