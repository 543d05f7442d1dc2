// Full detail of one execution, written as it happens to memory that survives the process.
#pragma once

#include <cstring>

#include "base/mapped.h"
#include "events/trace.h"

namespace jostle {

class Recorder {
 public:
  static constexpr std::size_t kEvents = 1u << 21;
  static constexpr std::size_t kStackWords = 1u << 24;

  Recorder()
      : counts_(1, true),
        events_(kEvents, true),
        decisions_(kEvents, true),
        stacks_(kStackWords, true),
        frames_(kEvents, true),
        threads_(kMaxThreads, true),
        blocked_(kMaxThreads, true),
        races_(256, true) {
    clear();
  }

  void clear() {
    counts_[0] = {};
    counts_[0].stacks = 1;
  }

  Outcome& outcome() { return counts_[0].outcome; }
  bool& ended() { return counts_[0].ended; }

  // Null when full: the trace is then marked as truncated.
  Event* event() { return take(events_, counts_[0].events); }
  Decision* decision() { return take(decisions_, counts_[0].decisions); }
  ThreadInfo& thread(ThreadId t) {
    if (t >= counts_[0].threads) counts_[0].threads = t + 1u;
    return threads_[t];
  }
  Blocked* blocked() { return take(blocked_, counts_[0].blocked); }
  Problem* race() { return take(races_, counts_[0].races); }
  std::uint32_t event_count() const { return counts_[0].events; }
  std::uint32_t decision_count() const { return counts_[0].decisions; }
  Event& event_at(std::uint32_t i) { return events_[i]; }
  std::uint32_t blocked_count() const { return counts_[0].blocked; }
  Blocked& blocked_at(std::uint32_t i) { return blocked_[i]; }
  std::uint64_t* stack_at(std::uint32_t at) { return &stacks_[at]; }  // see Event::stack
  std::size_t race_count() const { return counts_[0].races; }
  Problem& race_at(std::size_t i) { return races_[i]; }

  // Stores a call stack; 0 if there is no room.
  std::uint32_t stack(const std::uint64_t* pcs, std::size_t n) {
    Counts& c = counts_[0];
    if (n == 0 || c.stacks + n + 1 > kStackWords) return 0;
    const std::uint32_t at = c.stacks;
    stacks_[at] = n;
    std::memcpy(&stacks_[at + 1], pcs, n * sizeof(*pcs));
    c.stacks += static_cast<std::uint32_t>(n + 1);
    return at;
  }

  // Stores where an address lay, for Event::frame; 0 if there is no room. Most events share a frame
  // with one shortly before.
  std::uint32_t frame(const StackFrame& f) {
    std::uint32_t& n = counts_[0].frames;
    for (std::uint32_t i = n; i > 0 && i + 16 > n; --i)
      if (frames_[i - 1] == f) return i;
    if (n == frames_.capacity()) return 0;
    frames_[n] = f;
    return ++n;
  }

  Trace trace() const {
    const Counts& c = counts_[0];
    Trace t;
    t.outcome = c.outcome;
    t.events.assign(events_.begin(), events_.begin() + c.events);
    t.decisions.assign(decisions_.begin(), decisions_.begin() + c.decisions);
    t.threads.assign(threads_.begin(), threads_.begin() + c.threads);
    t.stacks.assign(stacks_.begin(), stacks_.begin() + c.stacks);
    t.frames.assign(frames_.begin(), frames_.begin() + c.frames);
    t.blocked.assign(blocked_.begin(), blocked_.begin() + c.blocked);
    t.races.assign(races_.begin(), races_.begin() + c.races);
    t.truncated = c.truncated;
    return t;
  }

 private:
  struct Counts {
    Outcome outcome;
    std::uint32_t events, decisions, stacks, frames, threads, blocked, races;
    bool truncated, ended;
  };
  template <class T>
  T* take(MappedVector<T>& v, std::uint32_t& n) {
    if (n == v.capacity()) {
      counts_[0].truncated = true;
      return nullptr;
    }
    v[n] = T{};
    return &v[n++];
  }

  MappedVector<Counts> counts_;
  MappedVector<Event> events_;
  MappedVector<Decision> decisions_;
  MappedVector<std::uint64_t> stacks_;
  MappedVector<StackFrame> frames_;
  MappedVector<ThreadInfo> threads_;
  MappedVector<Blocked> blocked_;
  MappedVector<Problem> races_;
};

}  // namespace jostle
