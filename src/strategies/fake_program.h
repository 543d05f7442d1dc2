// A program without code, for tests of strategies: threads that are lists of operations, driven
// through the same View as the real scheduler's, with none of the rest.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "sched/strategy.h"

namespace jostle {

struct FakeStep {
  EventKind kind = EventKind::point;
  Address address = 0;
  int child = -1;  // thread_create: which thread appears
};

class FakeProgram {
 public:
  // Thread 0 is there from the beginning, and so are all that no step creates.
  explicit FakeProgram(std::vector<std::vector<FakeStep>> code)
      : code_(std::move(code)), threads_(code_.size()) {}

  // `lengths[t]` points for thread t, independent of each other.
  static FakeProgram of_lengths(const std::vector<int>& lengths) {
    std::vector<std::vector<FakeStep>> code;
    code.reserve(lengths.size());
    for (const int n : lengths) code.emplace_back(static_cast<std::size_t>(n));
    return FakeProgram(std::move(code));
  }

  struct Execution {
    std::vector<ThreadId> order;  // who performed each step
    struct Choice {
      ThreadId chosen, standard, running;
      std::uint32_t options;
    };
    std::vector<Choice> decisions;
    int preemptions = 0;
    bool deadlock = false;

    std::string text() const {
      std::string s;
      for (const ThreadId t : order) s += static_cast<char>('A' + t);
      return s;
    }
    // Where thread t performed its k-th step (from 0).
    std::size_t position(ThreadId t, int k) const {
      for (std::size_t i = 0; i < order.size(); ++i)
        if (order[i] == t && k-- == 0) return i;
      return order.size();
    }
    std::vector<Deviation> deviations() const {
      std::vector<Deviation> d;
      for (std::size_t i = 0; i < decisions.size(); ++i)
        if (decisions[i].chosen != decisions[i].standard)
          d.push_back({static_cast<std::uint32_t>(i), decisions[i].chosen, ChoiceKind::thread, 0});
      return d;
    }
  };

  Execution run(Strategy& strategy, const Plan& plan, const Profile& profile = {}) {
    Execution e;
    const std::size_t n = code_.size();
    std::vector<std::size_t> at(n, 0);
    std::vector<bool> born(n, true);
    std::vector<ThreadId> parent(n, 0);
    for (std::size_t t = 0; t < n; ++t)
      for (const FakeStep& s : code_[t])
        if (s.child >= 0) {
          born[static_cast<std::size_t>(s.child)] = false;
          parent[static_cast<std::size_t>(s.child)] = static_cast<ThreadId>(t);
        }
    ThreadSet enabled;
    View view;
    view.threads = threads_.data();
    view.candidates = &enabled;
    view.running = 0;
    strategy.begin(plan, profile);
    auto create = [&](std::size_t t) {
      Thread& th = threads_[t];
      th.id = static_cast<ThreadId>(t);
      th.path = t == 0 ? kMainPath : path_of_child(kMainPath, static_cast<std::uint16_t>(t - 1));
      th.finished = code_[t].empty();
      if (!th.finished) announce(t, 0);
      strategy.created(th.id, t == 0 ? kNoThread : parent[t]);
      if (view.count <= t) view.count = static_cast<std::uint32_t>(t + 1);
    };
    for (std::size_t t = 0; t < n; ++t)
      if (born[t]) create(t);
    std::vector<std::pair<Address, ThreadId>> locks;
    auto owner = [&](Address a) {
      for (const auto& [lock, t] : locks)
        if (lock == a) return t;
      return kNoThread;
    };
    for (;;) {
      enabled.reset(static_cast<std::uint32_t>(n));
      bool live = false;
      for (std::size_t t = 0; t < n; ++t) {
        if (!born[t] || at[t] == code_[t].size()) continue;
        live = true;
        const FakeStep& s = code_[t][at[t]];
        if (s.kind != EventKind::mutex_lock || owner(s.address) == kNoThread)
          enabled.add(static_cast<ThreadId>(t));
      }
      ThreadId next = enabled.first();
      if (next == kNoThread) {
        e.deadlock = live;
        return e;
      }
      if (enabled.at_least_two()) {
        next = strategy.pick(view);
        if (!enabled.has(next)) std::abort();  // a broken strategy
        e.decisions.push_back({next, standard_choice(view), view.running, enabled.count()});
        e.preemptions += enabled.has(view.running) && next != view.running;
        ++view.decision;
      }
      view.running = next;
      const FakeStep& s = code_[next][at[next]++];
      e.order.push_back(next);
      if (s.kind == EventKind::mutex_lock) locks.emplace_back(s.address, next);
      if (s.kind == EventKind::mutex_unlock)
        std::erase_if(locks, [&](const auto& l) { return l.first == s.address; });
      if (s.child >= 0) {
        born[static_cast<std::size_t>(s.child)] = true;
        create(static_cast<std::size_t>(s.child));
      }
      const Op done = threads_[next].pending;
      if (at[next] == code_[next].size())
        threads_[next].finished = true;
      else
        announce(next, at[next]);
      if (strategy.wants_events()) strategy.performed(view, next, done);
    }
  }

  // What a profiling run would have counted: of so many threads and objects, no more.
  Profile profile() const {
    Profile p;
    p.threads = std::min(static_cast<std::uint32_t>(code_.size()), Profile::kThreads);
    for (std::size_t t = 0; t < p.threads; ++t) {
      p.events[t] = static_cast<std::uint32_t>(code_[t].size());
      p.parent[t] = t == 0 ? kNoThread : ThreadId{0};
      std::uint32_t ordinal = 0;
      for (const FakeStep& s : code_[t]) {
        ++ordinal;
        if (s.child >= 0 && s.child < static_cast<int>(Profile::kThreads))
          p.parent[s.child] = static_cast<ThreadId>(t);
        if (s.address == 0) continue;
        std::uint32_t o = 0;
        while (o < p.objects && p.address[o] != s.address) ++o;
        if (o == Profile::kObjects) continue;
        if (o == p.objects) p.address[p.objects++] = s.address;
        if (p.accesses[o][t]++ == 0) p.first[o][t] = ordinal;
      }
    }
    return p;
  }

 private:
  void announce(std::size_t t, std::size_t step) {
    threads_[t].pending = {code_[t][step].kind,   0, 4, GateMark::fresh, 0x1000 + step,
                           code_[t][step].address};
  }
  std::vector<std::vector<FakeStep>> code_;
  std::vector<Thread> threads_;
};

}  // namespace jostle
