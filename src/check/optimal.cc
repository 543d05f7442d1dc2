// Partial-order reduction by source sets, in any order of search: each class is executed, and
// counted once.
//
// For each race, what need not come after its first step, then its second, is a sequence that
// starts another class. It is left out if a turn that was put on the list earlier at the same
// place, or that sleeps there, is among its first: then it is found below that one. A branch sleeps
// on the turns that were put on the list before it, executed or not; that order is well-founded
// whatever the order of execution. The sequence that comes with a branch is long enough to wake the
// sleepers that are known to be woken, so that hardly any execution turns out to be like another
// (none on most programs: tests/check). To have none at all, sequences would have to be put into
// the trees below branches that were executed already (wakeup trees).
#include <algorithm>

#include "check/checker.h"

namespace jostle::checking {

void Checker::expand_races() {
  need_.resize(order_.threads());
  for (const Race& r : order_.races()) insert(r.first, r.second, Order::kNone);
  for (std::uint32_t i = tree_[node_].step; i < order_.steps(); ++i) {
    const Step& s = log_->steps[i];
    if (!s.choice_made) continue;
    for (std::uint32_t o = 0; o < s.options; ++o)
      if (o != s.choice) insert(i, i, o);
  }
}

// Everything up to `step` that it has to come after is part of the sequence.
void Checker::require(std::uint32_t step) {
  const std::uint32_t* c = order_.clock(step);
  for (std::uint32_t t = 0; t < order_.threads(); ++t) need_[t] = std::max(need_[t], c[t]);
}

// Is everything that begins with the sequence found below this turn? If not, makes sure that what
// speaks against it is part of the sequence, if it is known.
bool Checker::covers(ThreadId thread, std::uint16_t choice, std::uint32_t first,
                     std::uint32_t second, std::uint16_t last_choice) {
  const std::uint32_t own = order_.next_of(thread, first);
  if (own == Order::kNone || own == first) return false;  // its own end speaks against it
  Access touches[16];
  const std::uint32_t n = order_.touches_at(own, first, touches, 16);
  if (n == 0) return own < order_.steps();  // it depends on nothing: anything may come after it
  const bool is_last = own == second;
  const std::uint32_t last = std::min(second, order_.steps());
  const bool inside = !is_last && own < last && !order_.before(first, own);
  const std::uint32_t end = inside ? own : last;
  const std::uint32_t against = order_.first_dependent(touches, n, first + 1, end, first);
  if (against != Order::kNone) {
    require(against);
    return false;
  }
  if (is_last) return last_choice == choice || choice == 0 || last_choice == 0;
  if (!inside) return false;
  if (choice_of(order_.step(own)) == choice || choice == 0) return true;
  require(own);
  return false;
}

void Checker::insert(std::uint32_t first, std::uint32_t second, std::uint32_t option) {
  const bool another = option != Order::kNone;
  const NodeId parent = owner(first);
  std::vector<Turn>& turns = tree_.turns(parent);
  auto it = std::lower_bound(turns.begin(), turns.end(), first,
                             [](const Turn& t, std::uint32_t s) { return t.step < s; });
  const Step& second_step = order_.step(second);
  const std::uint16_t last_choice =
      another ? encode_choice(second_step, option) : choice_of(second_step);

  std::fill(need_.begin(), need_.end(), 0u);
  if (!another) require(second);  // what is not after `first` of it
  for (const Sleeper& s : sleepers_)
    if (s.from < first && first <= s.until &&
        covers(s.thread, s.choice, first, second, last_choice))
      return;
  auto end = it;
  for (; end != turns.end() && end->step == first; ++end) {
    const ThreadId t = thread_[end->thread];
    if (another && end->thread == name_[second_step.thread]) {
      if (end->choice == last_choice) return;  // on the list already
      continue;
    }
    if (t != kNoThread && covers(t, end->choice, first, second, last_choice)) return;
  }

  std::vector<Forced> sequence;
  std::uint32_t at = first;
  for (std::uint32_t m = first + 1; m < second && m < order_.steps(); ++m) {
    const ThreadId t = order_.thread(m);
    if (order_.ordinal(m) > need_[t] || order_.before(first, m)) continue;
    sequence.push_back({at++, name_[t], choice_of(log_->steps[m])});
  }
  sequence.push_back({at, name_[second_step.thread], another ? last_choice : std::uint16_t{0}});

  // Where it leads to is left to chance, and may be cut.
  if (search_.reduction != Reduction::optimal) sequence.resize(1);

  if (end == it) {
    const Step& s = log_->steps[first];
    it = turns.insert(end, {first, name_[s.thread], choice_of(s)});
    end = it + 1;
    tree_.count_turn();
  }
  turns.insert(end, {first, sequence[0].thread, sequence[0].choice});
  tree_.count_turn();
  const Forced turn = sequence[0];
  push(parent, first, turn.thread, turn.choice, std::move(sequence),
       !order_.could_go(first, second_step.thread), true);
}

}  // namespace jostle::checking
