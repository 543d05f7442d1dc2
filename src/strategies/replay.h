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
    state_.reset();
  }
  void* share() override {
    const Given given{state_.share(), copy_for_children(deviations_.begin(), deviations_.size()),
                      deviations_.size()};
    return copy_for_children(&given, 1);
  }
  void adopt(void* shared) override {
    const auto* given = static_cast<const Given*>(shared);
    follow(given->list, given->count);
    state_.adopt(given->state);
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
    if (state_->next == deviations_.size() || deviations_[state_->next].decision != view.decision)
      return false;
    const Deviation& d = deviations_[state_->next];
    const ThreadId wanted = d.path ? find(view, d.path) : d.choice;
    return d.kind == ChoiceKind::thread && wanted < view.count && !view.enabled().has(wanted) &&
           view.pending(wanted).kind == EventKind::io_wait;
  }

  bool diverged() const { return state_->diverged; }
  std::uint32_t diverged_at() const { return state_->diverged_at; }
  const char* reason() const { return state_->reason; }
  // Departures that were never reached.
  std::size_t left() const { return deviations_.size() - state_->next; }

 private:
  static ThreadId find(const View& view, std::uint64_t path) {
    for (std::uint32_t i = 0; i < view.count; ++i)
      if (view.threads[i].path == path) return static_cast<ThreadId>(i);
    return kNoThread;
  }
  const Deviation* due(const View& view) {
    if (state_->next == deviations_.size() || deviations_[state_->next].decision != view.decision)
      return nullptr;
    return &deviations_[state_->next++];
  }
  void diverge(const View& view, const char* reason) {
    if (state_->diverged) return;
    state_->diverged = true;
    state_->diverged_at = view.decision;
    std::snprintf(state_->reason, sizeof state_->reason, "%s", reason);
  }
  MappedVector<Deviation> deviations_;
  struct State {
    std::size_t next = 0;
    bool diverged = false;
    std::uint32_t diverged_at = 0;
    char reason[48] = "";
  };
  // What other processes have to know.
  struct Given {
    State* state;
    const Deviation* list;
    std::size_t count;
  };
  Shareable<State> state_;
};

}  // namespace jostle
