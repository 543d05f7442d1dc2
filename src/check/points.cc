// Reductions that put single turns on the list, not sequences.
//
// dpor: GAMBIT's Figure 4. For each race, the thread of its second step goes first where the first
// step was made; if it could not go on there, everybody who could does. Sleep sets cut executions
// that come to the same as others.
//
// bpor: the same within a bound on preemptions. A turn may be out of reach there only because it
// would be a preemption; so each one is also put where the running thread was switched to, which
// costs none. No sleep sets: with a bound, what they leave out may be within reach in no other way.
// A class may be executed more than once.
#include <algorithm>

#include "check/checker.h"

namespace jostle::checking {

bool Checker::asleep_at(ThreadId thread, std::uint32_t step) const {
  for (const Sleeper& s : sleepers_)
    if (s.thread == thread && s.from < step && step <= s.until) return true;
  return false;
}

void Checker::add_turn(std::uint32_t step, ThreadId thread, std::uint16_t choice,
                       bool conservative) {
  const Step& s = log_->steps[step];
  if (search_.reduction != Reduction::bpor && choice == 0 && asleep_at(thread, step)) return;
  const NodeId parent = owner(step);
  const auto turns = tree_.turns(parent);
  const auto it = first_at(turns, step);
  auto end = it;
  for (; end != turns.end() && end->step == step; ++end)
    if (end->thread == name_[thread] && (end->choice == choice || choice == 0)) return;
  if (end == it && thread == s.thread && choice == 0) return;  // what it did itself
  const bool preempts =
      s.running != kNoThread && thread != s.running && order_.could_go(step, s.running);
  if (preemptions_[step] + preempts > search_.preemptions) return;
  if (end == it) tree_.list(parent, {step, name_[s.thread], choice_of(s), kNoNode});
  tree_.list(parent, {step, name_[thread], choice, kNoNode});
  push(parent, step, thread, choice, conservative, true);
}

void Checker::add_point(std::uint32_t step, ThreadId thread, bool conservative) {
  const Step& s = log_->steps[step];
  if (s.decision == 0) return;
  if (order_.could_go(step, thread)) return add_turn(step, thread, 0, conservative);
  for (std::uint32_t c = 0; c < s.candidate_count; ++c)
    add_turn(step, log_->lists[s.candidates + c], 0, true);
}

// Whoever would have to wait before step i leaves the processor to others for nothing. So its
// thread is put before what lets it go on: what it does until it waits comes in between.
void Checker::add_points_before_waits(std::uint32_t i) {
  const std::uint32_t by = order_.lets_go_on(i);
  if (by == Order::kNone) return;
  add_point(by, order_.step(i).thread, true);
}

void Checker::expand_points() {
  need_.resize(order_.threads());
  const bool bounded = search_.reduction == Reduction::bpor;
  for (const Race& r : order_.races()) {
    const ThreadId t = order_.step(r.second).thread;
    add_point(r.first, t, false);
    // Operations whose effect depends on what they find are beyond the paper's proof: the first
    // of what has to come before the second step makes up for it.
    if (!bounded) insert(r.first, r.second, Order::kNone);
    if (!bounded || r.first == 0) continue;
    // Where whoever ran before the first step was switched to.
    std::uint32_t start = r.first - 1;
    while (start > 0 && log_->steps[start - 1].thread == log_->steps[start].thread) --start;
    add_point(start, t, true);
    start = r.first;
    while (start > 0 && log_->steps[start - 1].thread == log_->steps[start].thread) --start;
    if (start != r.first) add_point(start, t, true);
  }
  for (std::uint32_t i = 0; !bounded && log_->any_choice && i < order_.steps(); ++i)
    expand_choices(i);
  for (std::uint32_t i = tree_[node_].step; bounded && i < order_.steps(); ++i) {
    const Step& s = log_->steps[i];
    add_points_before_waits(i);
    for (std::uint32_t o = 0; s.choice_made && o < s.options; ++o)
      if (o != s.choice) add_turn(i, s.thread, encode_choice(s, o), false);
  }
}

}  // namespace jostle::checking
