// Selectively uniform random walk: the interleavings of the accesses to one shared object, drawn
// per execution, are sampled uniformly; everything else runs by random priority.
//
// An "intended" thread is drawn among those with accesses to the object left, weighted by how
// many. A thread about to access the object that is not the intended one is held back; when only
// held threads remain, the intended thread is drawn again.
#pragma once

#include "sched/strategy.h"

namespace jostle {

class Surw final : public Strategy {
 public:
  void begin(const Plan& plan, const Profile& profile) override {
    Strategy::begin(plan, profile);
    threads_ = profile.threads;
    std::uint64_t sum = 0;
    for (std::uint32_t o = 0; o < profile.objects; ++o) sum += shared(profile, o);
    object_ = 0;
    for (std::uint32_t t = 0; t < threads_; ++t) left_[t] = first_[t] = done_[t] = 0;
    if (sum > 0) {
      std::uint64_t k = rng_.below64(sum);
      for (std::uint32_t o = 0; o < profile.objects; ++o) {
        if (k < shared(profile, o)) {
          for (std::uint32_t t = 0; t < threads_; ++t) {
            left_[t] = profile.accesses[o][t];
            first_[t] = profile.first[o][t];
          }
          break;
        }
        k -= shared(profile, o);
      }
    }
    intended_ = draw();
  }
  void created(ThreadId t, ThreadId) override { priority_[t] = rng_.next(); }
  void yielded(ThreadId t) override { priority_[t] = rng_.next() >> 1; }
  bool wants_events() const override { return true; }
  void performed(const View&, ThreadId t, const Op& op) override {
    priority_[t] = rng_.next();
    if (t < threads_) recognise(t, op), ++done_[t];
    if (object_ == 0 || op.address != object_) return;
    if (t < threads_ && left_[t] > 0) --left_[t];
    intended_ = draw();
  }
  ThreadId pick(const View& view) override {
    if (JOSTLE_UNLIKELY(object_ == 0))
      view.enabled().each([&](ThreadId t) {
        if (t < threads_) recognise(t, view.pending(t));
      });
    for (int attempt = 0; attempt < 2; ++attempt) {
      ThreadId best = kNoThread;
      view.enabled().each([&](ThreadId t) {
        if (object_ != 0 && view.pending(t).address == object_ && t != intended_) return;
        if (best == kNoThread || priority_[t] > priority_[best]) best = t;
      });
      if (best != kNoThread) return best;
      // All are held: the intended one cannot come. Draw among those who wait here.
      std::uint64_t sum = 0;
      view.enabled().each([&](ThreadId t) { sum += weight(t); });
      std::uint64_t k = rng_.below64(sum);
      bool found = false;
      view.enabled().each([&](ThreadId t) {
        if (found) return;
        if (k < weight(t)) {
          intended_ = t;
          found = true;
        } else {
          k -= weight(t);
        }
      });
    }
    return view.enabled().first();
  }

 private:
  // Accesses to an object that more than one thread touches; others are not worth a draw.
  static std::uint64_t shared(const Profile& p, std::uint32_t o) {
    std::uint64_t n = 0;
    std::uint32_t threads = 0;
    for (std::uint32_t t = 0; t < p.threads; ++t) {
      n += p.accesses[o][t];
      threads += p.accesses[o][t] > 0;
    }
    return threads > 1 ? n : 0;
  }
  std::uint64_t weight(ThreadId t) const { return t < threads_ && left_[t] > 0 ? left_[t] : 1; }
  ThreadId draw() {
    std::uint64_t sum = 0;
    for (std::uint32_t t = 0; t < threads_; ++t) sum += left_[t];
    if (sum == 0) return kNoThread;
    std::uint64_t k = rng_.below64(sum);
    for (std::uint32_t t = 0; t < threads_; ++t) {
      if (k < left_[t]) return static_cast<ThreadId>(t);
      k -= left_[t];
    }
    return kNoThread;
  }

  // Addresses differ between executions: the object is what a thread is about to access in the
  // operation that was its first on it when the profile was made.
  void recognise(ThreadId t, const Op& op) {
    if (object_ == 0 && first_[t] != 0 && first_[t] == done_[t] + 1) object_ = op.address;
  }

  std::uint32_t threads_ = 0;  // of the profile: what is kept of others has no meaning
  Address object_ = 0;
  std::uint32_t first_[Profile::kThreads] = {}, done_[Profile::kThreads] = {};
  ThreadId intended_ = kNoThread;
  std::uint64_t left_[Profile::kThreads] = {};
  std::uint64_t priority_[kMaxThreads] = {};
};

}  // namespace jostle
