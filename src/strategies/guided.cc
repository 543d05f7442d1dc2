#include "strategies/guided.h"

#include <algorithm>

namespace jostle {

std::uint32_t Guided::slot_of(Address object) const {
  auto i = static_cast<std::uint32_t>(mix64(object)) & (kKnown - 1);
  while (known_[i].execution == execution_ && known_[i].object != object)
    i = (i + 1) & (kKnown - 1);
  return i;
}

bool Guided::knows(Address object) const { return known_[slot_of(object)].execution == execution_; }

void Guided::begin(const Plan& plan, const Profile& profile) {
  Strategy::begin(plan, profile);
  then_->begin(plan, profile);
  strays_ = false;
  ++execution_;
  std::fill_n(head_, kMaxThreads, 0u);
  std::fill_n(missed_, kMaxThreads, 0u);
  for (std::uint32_t i = turns_->count; i-- > 0;) {
    const ThreadId t = turns_->turn[i].thread;
    next_[i] = head_[t];
    head_[t] = i + 1;
    const Address object = turns_->turn[i].object;
    known_[slot_of(object)] = {object, execution_};
  }
}

ThreadId Guided::pick(const View& view) {
  if (strays_ && rng_.chance(1, 2)) return then_->pick(view);
  ThreadId best = kNoThread;
  view.enabled().each([&](ThreadId t) {
    if (head_[t] != 0 && (best == kNoThread || head_[t] < head_[best])) best = t;
  });
  return best != kNoThread ? best : then_->pick(view);
}

void Guided::created(ThreadId t, ThreadId parent) {
  then_->created(t, parent);
  if (parent < kMaxThreads && head_[parent] != 0 &&
      turns_->turn[head_[parent] - 1].site == covering::kCreates)
    head_[parent] = next_[head_[parent] - 1];
}

void Guided::performed(const View& view, ThreadId t, const Op& op) {
  then_->performed(view, t, op);
  Intent intent{};
  if (head_[t] == 0 || !intends(view.threads[t], op, intent) || !knows(intent.object)) return;
  // What it was to touch at that place; or else, something that depends on where the others are.
  for (const bool same : {true, false}) {
    std::uint32_t i = head_[t];
    for (std::uint32_t k = 0; k < kLookahead && i != 0; ++k, i = next_[i - 1]) {
      const covering::Turn& turn = turns_->turn[i - 1];
      if (!intent.at(turn.site) || (same && turn.object != intent.object)) continue;
      head_[t] = next_[i - 1];
      missed_[t] = 0;
      return;
    }
  }
  if (++missed_[t] < kLost) return;
  head_[t] = 0;
  strays_ = true;
}

}  // namespace jostle
