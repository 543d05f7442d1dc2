#include "report/conflicts.h"

#include <algorithm>
#include <unordered_map>

namespace jostle::report {
namespace {

constexpr std::size_t kWindow = 20'000;

bool is_access(const Event& e) {
  return e.address != 0 && (is_memory(e) || e.kind == EventKind::free);
}

// By byte, so that accesses of different sizes to overlapping memory meet.
class ByteMap {
 public:
  std::size_t find(const Event& e) const {
    std::size_t latest = kNoEvent;
    each_byte(e, [&](Address a) {
      const auto entry = events_.find(a);
      if (entry == events_.end()) return;
      if (latest == kNoEvent || entry->second > latest) latest = entry->second;
    });
    return latest;
  }
  void set(const Event& e, std::size_t i) {
    each_byte(e, [&](Address a) { events_[a] = i; });
  }
  void set_if_new(const Event& e, std::size_t i) {
    each_byte(e, [&](Address a) { events_.try_emplace(a, i); });
  }

 private:
  template <class F>
  static void each_byte(const Event& e, F f) {
    // Larger than any scalar: the first bytes will do.
    const std::uint32_t size = std::clamp(e.size, 1u, 16u);
    for (std::uint32_t i = 0; i < size; ++i) f(e.address + i);
  }
  std::unordered_map<Address, std::size_t> events_;
};

// Three accesses that no serial order of the two threads explains.
bool is_torn(const Event& first, const Event& between, const Event& last) {
  if (is_write(between)) return !(is_write(first) && is_write(last));  // r-w-r, w-w-r, r-w-w
  return is_write(first) && is_write(last);                            // w-r-w
}

}  // namespace

Conflict torn_apart(const Trace& t, ThreadId victim, std::size_t at) {
  const std::size_t begin = at - std::min(at, kWindow);
  const std::size_t end = std::min(t.events.size(), at + kWindow);
  ByteMap before;
  for (std::size_t i = begin; i < at; ++i)
    if (const Event& e = t.events[i]; e.thread == victim && is_access(e)) before.set(e, i);

  ByteMap reads, writes, first_reads, first_writes;  // of the others, since the interruption
  Conflict overtaken;
  for (std::size_t i = at; i < end; ++i) {
    const Event& e = t.events[i];
    if (!is_access(e)) continue;
    if (e.thread != victim) {
      (is_write(e) ? writes : reads).set(e, i);
      (is_write(e) ? first_writes : first_reads).set_if_new(e, i);
      continue;
    }
    const std::size_t first = before.find(e);
    for (const std::size_t between : {writes.find(e), reads.find(e)}) {
      if (between == kNoEvent) continue;
      const Event& other = t.events[between];
      if (first != kNoEvent && is_torn(t.events[first], other, e)) return {first, between, i};
      if (!overtaken.found() && (is_write(other) || is_write(e)))
        overtaken = {kNoEvent, between, i};
    }
  }
  if (overtaken.found()) return overtaken;

  for (std::size_t i = at; i-- > begin;) {
    const Event& e = t.events[i];
    if (e.thread != victim || !is_access(e)) continue;
    std::size_t other = first_writes.find(e);
    if (other == kNoEvent && is_write(e)) other = first_reads.find(e);
    if (other != kNoEvent) return {i, other, kNoEvent};
  }
  return {};
}

}  // namespace jostle::report
