// Partial-order reduction, in any order of search: each class is executed, and counted, once, and
// nothing is executed that comes to the same as something else.
//
// For each race, what need not come after its first step, then its second, is a sequence that
// starts another class. Where a turn sleeps that is among its first, or that nothing in it depends
// on, it is left out: it is found below that turn. So it is if such a turn was put on the list at
// the same place before the one that was taken. If it was put there later, the sequence, without
// that turn, is put among what is planned below it, whether that was executed or not, in the same
// manner; where everything that is planned agrees with it, it is found without that. A branch
// sleeps on the turns that were put on the list before it, executed or not; that order is
// well-founded whatever the order of execution. The sequence that comes with a branch is long
// enough to wake all of them.
#include <algorithm>

#include "check/checker.h"

namespace jostle::checking {

void Checker::expand_races() {
  need_.resize(order_.threads());
  for (const Race& r : order_.races()) insert(r.first, r.second, Order::kNone);
  for (std::uint32_t i = 0; log_->any_choice && i < order_.steps(); ++i) expand_choices(i);
}

// Also of steps that were made in other executions: what comes after them may be another reason to
// choose otherwise.
void Checker::expand_choices(std::uint32_t step) {
  const Step& s = log_->steps[step];
  if (s.options < 2 || s.weak) return;
  need_.resize(order_.threads());
  const NodeId parent = step < tree_[node_].step ? owner(step) : kNoNode;
  for (std::uint32_t o = 0; o < s.options; ++o)
    if (o != s.choice &&
        (parent == kNoNode || !is_listed(parent, step, s.thread, encode_choice(s, o))))
      insert(step, step, o);
}

bool Checker::is_listed(NodeId parent, std::uint32_t step, ThreadId thread,
                        std::uint16_t choice) const {
  const auto& turns = tree_.turns(parent);
  for (auto t = first_at(turns, step); t != turns.end() && t->step == step; ++t)
    if (t->thread == name_[thread] && t->choice == choice) return true;
  return false;
}

// Everything up to `step` that it has to come after is part of the sequence.
void Checker::require(std::uint32_t step) {
  const std::uint32_t* c = order_.clock(step);
  for (std::uint32_t t = 0; t < order_.threads(); ++t) need_[t] = std::max(need_[t], c[t]);
}

// Made before `first`, the second step may be another one: time runs out in place of what it waited
// for. Then it depends on what others do with the clock, and did not before: without all of that
// (it need not come after `first`) a turn might seem to cover the sequence that has put an end to
// that wait.
void Checker::require_clock(Branching& b) {
  Access touches[Order::kMostTouches];
  const std::uint32_t n = order_.touches_after(b.second, b.first, touches);
  const Access* const made = order_.accesses(b.second);
  const auto ticks = [](const Access& a) { return a.touch == Touch::tick; };
  const Access* const tick = std::find_if(touches, touches + n, ticks);
  if (tick == touches + n || std::any_of(made, made + order_.step(b.second).accesses, ticks))
    return;
  b.end = order_.steps();
  for (std::uint32_t m = b.first + 1; m < b.end; ++m)
    if (!order_.before(b.first, m) &&
        order_.first_dependent(tick, 1, m, m + 1, Order::kNone) != Order::kNone)
      require(m);
}

// Is everything that begins with the sequence found below this turn? If not, makes sure that what
// speaks against it is part of the sequence.
bool Checker::covers(ThreadId thread, std::uint16_t choice, const Branching& b) {
  const std::uint32_t own = order_.next_of(thread, b.first);
  if (own == Order::kNone || own == b.first) return false;  // its own end speaks against it
  Access touches[Order::kMostTouches];
  const std::uint32_t n = order_.touches_at(own, b.first, touches);
  if (n == 0) return own < order_.steps();  // it depends on nothing: anything may come after it
  const bool is_last = own == b.second;
  const bool inside = !is_last && own < b.end && !order_.before(b.first, own);
  const std::uint32_t against =
      order_.first_dependent(touches, n, b.first + 1, inside ? own : b.end, b.first);
  if (against != Order::kNone) {
    require(against);
    return false;
  }
  if (is_last) return b.choice == choice || choice == 0 || b.choice == 0;
  if (inside) {
    if (choice_of(order_.step(own)) == choice || choice == 0) return true;
    require(own);
    return false;
  }
  if (search_.reduction != Reduction::optimal) return false;
  Access last[Order::kMostTouches];
  const std::uint32_t m = order_.touches_after(b.second, b.first, last);
  for (std::uint32_t x = 0; x < m; ++x)
    for (std::uint32_t y = 0; y < n; ++y)
      if (conflict(last[x], touches[y])) return false;
  return true;
}

void Checker::write(ThreadId thread, std::uint16_t choice, const Access* accesses,
                    std::uint32_t n) {
  sequence_.add(name_[thread], choice);
  for (std::uint32_t i = 0; i < n; ++i) sequence_.reach(lasting_(accesses[i]));
}

void Checker::write_sequence(const Branching& b, bool all) {
  sequence_.clear();
  for (std::uint32_t m = b.first + 1; m < b.end; ++m) {
    const Step& s = log_->steps[m];
    if ((all || order_.ordinal(m) <= need_[s.thread]) && !order_.before(b.first, m))
      write(s.thread, choice_of(s), order_.accesses(m), s.accesses);
  }
  Access touches[Order::kMostTouches];
  const std::uint32_t n = order_.touches_after(b.second, b.first, touches);
  write(order_.step(b.second).thread, b.another ? b.choice : 0, touches, n);
}

// It was put into a file meanwhile, with others.
NodeId Checker::bring_back(NodeId parent, std::size_t turn) {
  const Listed t = tree_.turns(parent)[turn];
  if (!t.away()) return t.node;
  Cost cost = 0;
  std::vector<Leaf> leaves;
  if (!spill_.take_number(t.node & ~Listed::kAway, cost, leaves)) {
    lost_ = true;
    return kNoNode;
  }
  for (const Leaf& l : leaves) fringe_.push(tree_.put_back(l), cost);
  return tree_.turns(parent)[turn].node;
}

// Does what is wanted begin with the k-th of what the node plans? Then it is done. If the node was
// not executed, what is chosen there was left open: from now on it is what is wanted.
Checker::Agrees Checker::agrees(NodeId n, std::uint32_t k, Wanted& wanted) {
  const Sequence& plan = tree_.planned(n);
  if (k >= plan.size()) return Agrees::no;
  const ThreadId thread = plan[k].thread;
  const std::uint16_t choice = wanted.choice_of(thread);
  const bool open = plan[k].choice == 0 && choice != 0 && !tree_[n].executed;
  if (open && tree_[n].taken) return Agrees::not_known_yet;
  if (open)  // unless another branch has it
    for (const Listed& t : tree_.turns(k == 0 ? tree_[n].parent : n))
      if (t.step == tree_[n].step + k && t.thread == thread && t.choice == choice)
        return Agrees::no;
  if (!wanted.begin_with(plan, k)) return Agrees::no;
  if (open) tree_.choose(n, k, choice);
  return Agrees::yes;
}

// The sequence begins where the node departs from its parent, or k steps later. It has to be all
// that is known: what differs only in what was left away would be taken for the same.
void Checker::put_below(NodeId n, std::uint32_t k, const Sequence& sequence, const Priced& price) {
  Wanted wanted(sequence);
  while ((k == 0 || k < tree_.planned(n).size()) && !wanted.empty()) {
    switch (agrees(n, k, wanted)) {
      case Agrees::yes:
        ++k;
        continue;
      case Agrees::not_known_yet:
        deferred_.push_back({n, k, wanted.rest(), price});
        return;
      case Agrees::no:
        break;
    }
    // If it is not even what the node begins with, with the choice that was made there: beside it.
    return put_among(k > 0 ? n : tree_[n].parent, tree_[n].step + k, wanted.rest(), price);
  }
}

// Below one of the branches at that step, or beside them.
void Checker::put_among(NodeId n, std::uint32_t step, const Sequence& sequence,
                        const Priced& price) {
  Wanted wanted(sequence);
  bool listed = false;
  for (std::size_t i = 0; i < tree_.turns(n).size(); ++i) {
    if (tree_.turns(n)[i].step != step) continue;
    listed = true;
    if (tree_.turns(n)[i].node == kNoNode) continue;  // its own
    const NodeId child = bring_back(n, i);
    if (child == kNoNode) return;
    switch (agrees(child, 0, wanted)) {
      case Agrees::yes:
        return put_below(child, 1, wanted.rest(), price);
      case Agrees::not_known_yet:
        deferred_.push_back({child, 0, sequence, price});
        return;
      case Agrees::no:
        break;
    }
  }
  if (!listed) {
    const Sequence::Deed& own = tree_.planned(n)[step - tree_[n].step];
    tree_.list(n, {step, own.thread, own.choice, kNoNode});
  }
  const Sequence::Deed first = sequence[0];
  const NodeId leaf = tree_.add(n, step, price.preempts, sequence);
  tree_.list(n, {step, first.thread, first.choice, leaf});
  fringe_.push(leaf, price.costs);
}

// Its execution was made, or will be made later.
void Checker::put_deferred_below(NodeId n) {
  for (std::size_t i = 0; i < deferred_.size();) {
    if (deferred_[i].node != n) {
      ++i;
      continue;
    }
    const Deferred d = std::move(deferred_[i]);
    deferred_.erase(deferred_.begin() + static_cast<std::ptrdiff_t>(i));
    if (d.k == 0)
      put_among(tree_[n].parent, tree_[n].step, d.sequence, d.price);
    else if (d.k < tree_.planned(n).size())
      put_below(n, d.k, d.sequence, d.price);
    else
      ++counts_.departed;
  }
}

void Checker::insert(std::uint32_t first, std::uint32_t second, std::uint32_t option) {
  const NodeId parent = owner(first);
  const Step &first_step = log_->steps[first], &second_step = order_.step(second);
  const bool another = option != Order::kNone;
  Branching b{first, second, another ? encode_choice(second_step, option) : choice_of(second_step),
              another, another ? order_.steps() : std::min(second, order_.steps())};

  std::fill(need_.begin(), need_.end(), 0u);
  if (!another) {
    require(second);  // what is not after `first` of it
    if (second_step.timed || second_step.enabled_by) require_clock(b);
  }
  for (const Sleeper& s : sleepers_) {
    if (s.from >= first || first > s.until) continue;
    if (another && s.thread == second_step.thread) {
      if (s.choice != b.choice) continue;
      // Unless it was woken before, by what need not come after its other choice.
      Access touches[Order::kMostTouches];
      const std::uint32_t n = order_.touches_after(second, first, touches);
      const std::uint32_t against = order_.first_dependent(touches, n, first + 1, b.end, first);
      if (against == Order::kNone) return;
      require(against);
    } else if (covers(s.thread, s.choice, b)) {
      // It sleeps with one choice; nobody has seen to the others there.
      const bool one = s.choice != 0 && b.choice == 0 && s.thread == second_step.thread;
      if (!one) return;
    }
  }
  const bool optimal = search_.reduction == Reduction::optimal;
  const auto turns = tree_.turns(parent);
  auto i = static_cast<std::size_t>(first_at(turns, first) - turns.begin());
  const bool fresh = i == turns.size() || turns[i].step != first;
  bool earlier = true;  // on the list than what was done
  NodeId below = kNoNode;
  for (; i < tree_.turns(parent).size(); ++i) {
    const Listed t = tree_.turns(parent)[i];
    if (t.step != first) break;
    if (t.thread == name_[first_step.thread] && t.choice == choice_of(first_step)) {
      earlier = false;
      continue;
    }
    if (another && t.thread == name_[second_step.thread]) {
      if (t.choice == b.choice) return;  // on the list already
      if (t.choice != 0 || option != 0) continue;
      // With whichever choice is first: this one, from now on.
      const NodeId open = optimal ? bring_back(parent, i) : kNoNode;
      if (open != kNoNode && !tree_[open].taken) tree_.choose(open, 0, b.choice);
      return;
    }
    if (thread_[t.thread] == kNoThread || !covers(thread_[t.thread], t.choice, b)) continue;
    if (earlier || !optimal || t.node == kNoNode) return;
    below = bring_back(parent, i);
    break;
  }

  write_sequence(b, below != kNoNode);
  // Where it leads to is left to chance, and may be cut.
  if (!optimal) sequence_.come_true({sequence_[0].choice});
  const Sequence::Deed turn = sequence_[0];
  const Priced priced =
      price(first, thread_[turn.thread], !order_.could_go(first, second_step.thread), true);
  if (below != kNoNode) return put_below(below, 0, sequence_, priced);
  if (fresh) tree_.list(parent, {first, name_[first_step.thread], choice_of(first_step), kNoNode});
  const NodeId leaf = tree_.add(parent, first, priced.preempts, sequence_);
  tree_.list(parent, {first, turn.thread, turn.choice, leaf});
  fringe_.push(leaf, priced.costs);
}

// What could have failed for no reason, and did not, does so in a search of its own.
void Checker::expand_fails() {
  if (!log_->any_weak || failures_ != fails().count || failures_ >= log_->weak_cas) return;
  std::uint32_t matched[kMaxThreads] = {};
  for (std::uint32_t i = 0; i < order_.steps(); ++i) {
    const Step& s = log_->steps[i];
    matched[s.thread] += s.matches;
    if (!s.could_fail() || s.fails()) continue;
    Fails more = fails();
    const Fail f{name_[s.thread], matched[s.thread]};
    if (more.count == Fails::kMost || all_fails_.size() == kNoThread) {
      if (counts_.beyond.empty()) counts_.beyond = "has too many compare-exchanges that may fail";
      return;
    }
    more.add(f);
    if (std::find(all_fails_.begin(), all_fails_.end(), more) != all_fails_.end()) continue;
    const Priced priced = price(i, s.thread, false, false);
    all_fails_.push_back(more);
    fringe_.push(tree_.add_root(static_cast<std::uint16_t>(all_fails_.size() - 1)), priced.costs);
  }
}

}  // namespace jostle::checking
