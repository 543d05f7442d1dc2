// What comes before what in every execution alike: vector clocks of everything that orders threads,
// except locks and memory.
#pragma once

#include <unordered_map>
#include <vector>

#include "sched/access_log.h"

namespace jostle::covering {

class Clocks {
 public:
  using Clock = std::vector<std::uint32_t>;
  explicit Clocks(std::size_t threads) : of_(threads, Clock(threads, 0)) {
    for (std::size_t t = 0; t < threads; ++t) of_[t][t] = 1;
  }
  const Clock& of(ThreadId t) const { return of_[t]; }
  // Grows whenever the clock of the thread has changed.
  std::uint32_t version(ThreadId t) const { return t < versions_.size() ? versions_[t] : 0; }

  void apply(const AccessRecord& r, bool only_creation = false) {
    switch (r.did) {
      case Did::fork:
        join(of_[r.object], of_[r.thread], static_cast<ThreadId>(r.object));
        tick(r.thread);
        break;
      case Did::join:
        if (r.object < of_.size()) join(of_[r.thread], of_[r.object], r.thread);
        break;
      case Did::arrive:
        if (only_creation) break;
        acquire(r);
        release(r);
        break;
      case Did::post:
      case Did::signal:
        if (!only_creation) release(r);
        break;
      case Did::leave:
      case Did::take:
        if (!only_creation) acquire(r);
        break;
      case Did::wait:
        waits_[r.thread] = r.object;
        break;
      case Did::acquire:
        // The end of a wait: whoever signalled came before.
        if (const auto it = waits_.find(r.thread); it != waits_.end()) {
          if (!only_creation) acquire({r.pc, it->second, r.thread, r.did});
          waits_.erase(it);
        }
        break;
      default:
        break;
    }
  }

 private:
  void join(Clock& to, const Clock& from, ThreadId owner) {
    for (std::size_t i = 0; i < to.size(); ++i)
      if (from[i] > to[i]) to[i] = from[i];
    changed(owner);
  }
  void tick(ThreadId t) {
    ++of_[t][t];
    changed(t);
  }
  void changed(ThreadId t) {
    versions_.resize(of_.size());
    ++versions_[t];
  }
  void release(const AccessRecord& r) {
    Clock& c = objects_.try_emplace(r.object, of_.size(), 0u).first->second;
    for (std::size_t i = 0; i < c.size(); ++i)
      if (of_[r.thread][i] > c[i]) c[i] = of_[r.thread][i];
    tick(r.thread);
  }
  void acquire(const AccessRecord& r) {
    if (const auto it = objects_.find(r.object); it != objects_.end())
      join(of_[r.thread], it->second, r.thread);
  }

  std::vector<Clock> of_;
  std::vector<std::uint32_t> versions_;
  std::unordered_map<Address, Clock> objects_;
  std::unordered_map<ThreadId, Address> waits_;
};

}  // namespace jostle::covering
