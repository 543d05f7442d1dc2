// reduction=none: every turn that could have been taken after the last departure, within the bound.
#include "check/checker.h"

namespace jostle::checking {

void Checker::expand_all() {
  const std::uint32_t begin = node_ == kRoot ? 0 : tree_[node_].step + 1;
  for (std::uint32_t i = begin; i < order_.steps(); ++i) {
    const Step& s = log_->steps[i];
    for (std::uint32_t c = 0; c < s.candidate_count; ++c) {
      const ThreadId t = log_->lists[s.candidates + c];
      if (t == s.thread) continue;
      const bool preempts = t != s.running && order_.could_go(i, s.running);
      if (preemptions_[i] + preempts > search_.preemptions) continue;
      bool by_race = false;
      for (const Race& r : order_.races()) by_race |= r.first == i && order_.thread(r.second) == t;
      push(node_, i, t, 0, !by_race, by_race);
    }
    if (!s.choice_made) continue;
    for (std::uint32_t o = 0; o < s.options; ++o)
      if (o != s.choice) push(node_, i, s.thread, encode_choice(s, o), false, true);
  }
  // The choice of the departure itself, if it was left to the default.
  if (node_ == kRoot || begin - 1 >= order_.steps()) return;
  const Step& s = log_->steps[begin - 1];
  if (!s.choice_made || tree_[node_].choice != 0) return;
  for (std::uint32_t o = 0; o < s.options; ++o)
    if (o != s.choice) push(node_, begin - 1, s.thread, encode_choice(s, o), false, true);
}

}  // namespace jostle::checking
