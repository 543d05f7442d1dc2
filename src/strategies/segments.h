// Follows a rough itinerary: thread t for n steps, then the next. A thread that cannot go on
// ends its segment early, and after the last segment the default schedule takes over, so that
// any itinerary leads somewhere: the minimiser shortens them freely and keeps what still fails.
#pragma once

#include "base/mapped.h"
#include "sched/strategy.h"

namespace jostle {

struct Segment {
  ThreadId thread;
  std::uint32_t steps;
  friend bool operator==(const Segment&, const Segment&) = default;
};

class Segments final : public Strategy {
 public:
  Segments() : segments_(1u << 18), choices_(1u << 16) {}

  void follow(const Segment* s, std::size_t n) {
    segments_.clear();
    for (std::size_t i = 0; i < n && !segments_.full(); ++i) segments_.push(s[i]);
  }
  // What choose() answers, in order; 0 after the last.
  void answer(const Deviation* d, std::size_t n) {
    choices_.clear();
    for (std::size_t i = 0; i < n && !choices_.full(); ++i) choices_.push(d[i].choice);
  }
  void begin(const Plan& plan, const Profile& profile) override {
    Strategy::begin(plan, profile);
    state_.reset();
    state_->left = segments_.empty() ? 0 : segments_[0].steps;
  }
  void* share() override {
    const Given given{state_.share(), copy_for_children(segments_.begin(), segments_.size()),
                      segments_.size(), copy_for_children(choices_.begin(), choices_.size()),
                      choices_.size()};
    return copy_for_children(&given, 1);
  }
  void adopt(void* shared) override {
    const auto* given = static_cast<const Given*>(shared);
    follow(given->list, given->count);
    choices_.clear();
    for (std::size_t i = 0; i < given->choices; ++i) choices_.push(given->choice[i]);
    state_.adopt(given->state);
  }
  bool wants_events() const override { return true; }
  void performed(const View&, ThreadId t, const Op&) override {
    if (state_->at == segments_.size() || segments_[state_->at].thread != t || state_->left == 0)
      return;
    --state_->left;
    if (state_->left == 0) advance();
  }
  ThreadId pick(const View& view) override {
    while (state_->at < segments_.size()) {
      const ThreadId t = segments_[state_->at].thread;
      if (state_->left > 0 && view.enabled().has(t)) return t;
      // Not born yet, or waiting: whoever the default schedule takes may bring it about, but
      // only for as long as a later segment does not.
      advance();
    }
    return standard_choice(view);
  }
  std::uint32_t choose(ChoiceKind, std::uint32_t n, const View&) override {
    const std::uint32_t k =
        state_->next_choice < choices_.size() ? choices_[state_->next_choice++] : 0;
    return k < n ? k : 0;
  }

 private:
  void advance() {
    ++state_->at;
    state_->left = state_->at < segments_.size() ? segments_[state_->at].steps : 0;
  }
  MappedVector<Segment> segments_;
  MappedVector<std::uint16_t> choices_;
  struct State {
    std::size_t at = 0, next_choice = 0;
    std::uint32_t left = 0;
  };
  // What other processes have to know.
  struct Given {
    State* state;
    const Segment* list;
    std::size_t count;
    const std::uint16_t* choice;
    std::size_t choices;
  };
  Shareable<State> state_;
};

}  // namespace jostle
