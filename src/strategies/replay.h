// Follows a list of departures from the default schedule. What it cannot follow it reports: the
// first decision at which the wanted choice was not possible.
#pragma once

#include <cstdio>

#include "base/mapped.h"
#include "events/plan.h"
#include "sched/strategy.h"

namespace jostle {

class Replay final : public Strategy {
 public:
  Replay() : deviations_(1u << 20, true) {}

  void follow(const Deviation* d, std::size_t n) {
    deviations_.clear();
    for (std::size_t i = 0; i < n && !deviations_.full(); ++i) deviations_.push(d[i]);
  }
  void begin(const Plan& plan, const Profile& profile) override {
    Strategy::begin(plan, profile);
    next_ = 0;
    diverged_ = false;
  }
  ThreadId pick(const View& view) override {
    const ThreadId standard = standard_choice(view);
    const Deviation* d = due(view);
    if (!d) return standard;
    const ThreadId wanted = d->path ? find(view, d->path) : d->choice;
    if (d->kind == ChoiceKind::thread && wanted < view.count && view.enabled().has(wanted))
      return wanted;
    diverge(view, d->kind != ChoiceKind::thread ? "a choice of another kind was expected"
                  : wanted >= view.count        ? "the thread to run does not exist yet"
                                                : "the thread to run cannot run here");
    return standard;
  }
  std::uint32_t choose(ChoiceKind kind, std::uint32_t n, const View& view) override {
    const Deviation* d = due(view);
    if (!d) return 0;
    if (d->kind == kind && d->choice < n) return d->choice;
    diverge(view, "a choice of another kind was expected");
    return 0;
  }

  // Who is to run waits for the world outside: in the execution that is repeated, that was waited
  // for.
  bool awaits_outside(const View& view) override {
    if (next_ == deviations_.size() || deviations_[next_].decision != view.decision) return false;
    const Deviation& d = deviations_[next_];
    const ThreadId wanted = d.path ? find(view, d.path) : d.choice;
    return d.kind == ChoiceKind::thread && wanted < view.count && !view.enabled().has(wanted) &&
           view.pending(wanted).kind == EventKind::io_wait;
  }

  bool diverged() const { return diverged_; }
  std::uint32_t diverged_at() const { return diverged_at_; }
  const char* reason() const { return reason_; }
  // Departures that were never reached.
  std::size_t left() const { return deviations_.size() - next_; }

 private:
  static ThreadId find(const View& view, std::uint64_t path) {
    for (std::uint32_t i = 0; i < view.count; ++i)
      if (view.threads[i].path == path) return static_cast<ThreadId>(i);
    return kNoThread;
  }
  const Deviation* due(const View& view) {
    if (next_ == deviations_.size() || deviations_[next_].decision != view.decision) return nullptr;
    return &deviations_[next_++];
  }
  void diverge(const View& view, const char* reason) {
    if (diverged_) return;
    diverged_ = true;
    diverged_at_ = view.decision;
    reason_ = reason;
  }
  MappedVector<Deviation> deviations_;
  std::size_t next_ = 0;
  bool diverged_ = false;
  std::uint32_t diverged_at_ = 0;
  const char* reason_ = "";
};

}  // namespace jostle
