#include "check/checker.h"

#include <algorithm>

namespace jostle::checking {

void Checker::start(Reduction reduction) {
  search_.reduction = reduction;
  tree_ = Tree(reduction == Reduction::optimal);
  fringe_.clear();
  spill_.clear();
  lost_ = false;
  fringe_.push(kRoot, Costs{});
  counts_ = {};
  number_ = 0;
  growth_ = 1;
  absorbed_ = created_then_ = 0;
  classes_.clear();
  deferred_.clear();
  sleepers_.clear();
}

// The same order as if all had stayed in memory: of one cost, those in the file are older.
void Checker::fetch() {
  while (!spill_.empty() && (fringe_.empty() || spill_.best() < fringe_.best())) {
    Cost cost = 0;
    std::vector<Leaf> leaves;
    if (!spill_.take(cost, leaves)) {
      lost_ = true;
      return spill_.clear();
    }
    for (const Leaf& l : leaves) fringe_.push(tree_.put_back(l), cost);
  }
}

bool Checker::shrink_to(std::uint64_t bytes) {
  if (tree_.bytes() <= bytes) return true;
  constexpr std::size_t kBlock = 4096;
  std::vector<Leaf> leaves;
  std::vector<std::pair<NodeId, Cost>> stay;
  while (tree_.bytes() > bytes - bytes / 4) {
    Cost cost = 0;
    const std::vector<NodeId> cold = fringe_.take_cold(kBlock, cost);
    if (cold.empty()) break;
    leaves.clear();
    for (const NodeId n : cold) {
      if (!tree_.turns(n).empty())
        stay.emplace_back(n, cost);  // there are branches among what it plans
      else
        leaves.push_back(tree_.take_out(n, spill_.next()));
    }
    if (leaves.empty() || spill_.put(cost, leaves)) continue;
    for (const Leaf& l : leaves) fringe_.push(tree_.put_back(l), cost);
    break;
  }
  for (const auto& [n, cost] : stay) fringe_.push(n, cost);
  return tree_.bytes() <= bytes;
}

bool Checker::next(Planned& out) {
  fetch();
  if (fringe_.empty()) return false;
  out.node = fringe_.pop();
  tree_.set_taken(out.node, true);
  tree_.plan(out.node, out.turns);
  out.asleep.clear();
  if (sleeps()) put_to_sleep(out);
  return true;
}

void Checker::give_back(NodeId node) {
  tree_.set_taken(node, false);
  fringe_.push(node, Costs{});
  put_deferred_below(node);
}

// Whoever was put on the list before the turns of this execution, at their places; a branch's place
// is later than that of what it branches off from.
void Checker::put_to_sleep(Planned& p) {
  tree_.path(p.node, path_);
  for (std::size_t i = 1; i < path_.size(); ++i) {
    const Node& node = tree_[path_[i]];
    const auto turns = tree_.turns(node.parent);
    auto it = std::lower_bound(turns.begin(), turns.end(), node.step,
                               [](const Listed& t, std::uint32_t s) { return t.step < s; });
    for (; it != turns.end() && it->step == node.step; ++it) {
      if (it->thread == node.thread && it->choice == node.choice) break;
      if (it->thread != node.thread) p.asleep.push_back({it->step, it->thread, it->choice});
    }
  }
}

std::uint16_t Checker::encode_choice(const Step& s, std::uint32_t option) const {
  if (s.choice_kind == ChoiceKind::waiter)
    return static_cast<std::uint16_t>(1 + name_[log_->lists[s.waiters + option]]);
  return static_cast<std::uint16_t>(1 + option);
}

std::uint16_t Checker::choice_of(const Step& s) const {
  return s.choice_made ? encode_choice(s, s.choice) : 0;
}

void Checker::absorb(NodeId node, const StepLog& log, Followed followed, bool left_out) {
  log_ = &log;
  node_ = node;
  // What lies before the departure was looked at when the parent was executed.
  order_.read(log, tree_[node].step);
  tree_.path(node, path_);
  counts_.truncated |= log.truncated;
  if (log.beyond[0] && counts_.beyond.empty()) counts_.beyond = log.beyond;
  counts_.limit |= log.limited != kNoThread;
  counts_.limits |= log.limits;
  counts_.deepest = std::max(counts_.deepest, log.step_count);

  name_.resize(log.thread_count);
  for (std::uint32_t t = 0; t < log.thread_count; ++t) name_[t] = names_.of(log.path[t], t);
  lasting_.read(log, name_);
  thread_.assign(names_.count, kNoThread);
  for (std::uint32_t t = 0; t < log.thread_count; ++t)
    if (name_[t] != kNoThread) thread_[name_[t]] = static_cast<ThreadId>(t);
  preemptions_.resize(log.step_count + 1);  // the first is 0
  for (std::uint32_t i = order_.kept(); i < log.step_count; ++i)
    preemptions_[i + 1] = preemptions_[i] + log.steps[i].preempts;
  counts_.preemptions = std::max(counts_.preemptions, preemptions_[log.step_count]);

  const std::uint32_t begin = tree_[node].step;
  const Sequence& planned = tree_.planned(node);
  choices_.clear();
  for (std::uint32_t i = begin; i < log.step_count && i - begin < planned.size(); ++i) {
    if (name_[log.steps[i].thread] != planned[i - begin].thread) break;
    choices_.push_back(choice_of(log.steps[i]));
  }
  departures_.clear();
  for (std::uint32_t i = begin + static_cast<std::uint32_t>(choices_.size()); i < log.step_count;
       ++i) {
    const Step& s = log.steps[i];
    const std::uint16_t c = s.choice_made && s.choice != 0 ? choice_of(s) : 0;
    if ((s.decision && s.thread != s.standard) || c) departures_.push_back({i, name_[s.thread], c});
  }
  tree_.executed(node, departures_, choices_);
  if (followed != Followed::exactly) {
    sleepers_.clear();  // those of this execution are not known
    counts_.departed += followed == Followed::departed;
  } else {
    find_sleepers();
    // Where a thread went on that should have slept, another execution does the same: what follows
    // says nothing new.
    std::uint32_t end = Order::kNone;
    for (const Sleeper& s : sleepers_)
      if (sleeps() && s.until == Order::kNone)
        end = std::min(end, order_.next_of(s.thread, s.from));
    if (end != Order::kNone) {
      expand_choices(end);  // it may be that only the choice that was made should have slept
      order_.read(log, tree_[node].step, end);
      for (Sleeper& s : sleepers_) s.until = std::min(s.until, end);
    }
    ++(end != Order::kNone ? counts_.blocked : left_out ? counts_.left_out : counts_.executed);
    if (!sleeps() && !left_out && classes_.insert(order_.signature(name_)).second)
      ++counts_.classes;
    switch (search_.reduction) {
      case Reduction::none:
        expand_all();
        break;
      case Reduction::dpor:
      case Reduction::bpor:
        expand_points();
        break;
      default:
        expand_races();
    }
  }
  put_deferred_below(node);
  tree_.settle(node);
  if (++absorbed_ % kWindow == 0) {
    growth_ = static_cast<double>(tree_.created() - created_then_) / kWindow;
    created_then_ = tree_.created();
  }
}

// Who has a say about the turns at a step: the node whose own execution goes through it.
NodeId Checker::owner(std::uint32_t step) const {
  NodeId best = kRoot;
  for (const NodeId n : path_)
    if (n == kRoot || tree_[n].step < step) best = n;
  return best;
}

// The first choice was taken: now it is known which one that is.
void Checker::name_choice(NodeId node) {
  const Node& n = tree_[node];
  if (n.step >= order_.steps() || !log_->steps[n.step].choice_made) return;
  const std::uint16_t choice = choice_of(log_->steps[n.step]);
  for (Listed& t : tree_.turns(n.parent))
    if (t.step == n.step && t.thread == n.thread && t.choice == 0) t.choice = choice;
  if (search_.reduction != Reduction::none) tree_.set_choice(node, choice);
}

void Checker::find_sleepers() {
  if (!sleeps()) {
    sleepers_.clear();
    if (node_ != kRoot && tree_[node_].choice == 0) name_choice(node_);
    for (std::size_t i = 1; i < path_.size() && search_.reduction == Reduction::none; ++i)
      put_to_sleep_before(tree_[path_[i]]);
    return;
  }
  // Most of them are those of the execution before: as far as it was the same, so is what wakes
  // them.
  std::size_t count = 0;
  const auto add = [&](ThreadId t, std::uint16_t choice, std::uint32_t from) {
    const std::size_t i = count++;
    if (i < sleepers_.size()) {
      const Sleeper& s = sleepers_[i];
      if (s.thread == t && s.choice == choice && s.from == from && s.until < order_.kept() &&
          s.own < order_.kept())
        return;
    } else {
      sleepers_.emplace_back();
    }
    sleepers_[i] = make_sleeper(t, choice, from);
  };
  for (std::size_t i = 1; i < path_.size(); ++i) {
    const Node& n = tree_[path_[i]];
    const auto turns = tree_.turns(n.parent);
    auto it = std::lower_bound(turns.begin(), turns.end(), n.step,
                               [](const Listed& t, std::uint32_t s) { return t.step < s; });
    for (; it != turns.end() && it->step == n.step; ++it) {
      if (it->thread == n.thread && it->choice == n.choice) {
        // Itself. Now it is known what the first choice was.
        if (n.choice == 0) name_choice(path_[i]);
        break;
      }
      if (thread_[it->thread] != kNoThread) add(thread_[it->thread], it->choice, n.step);
    }
  }
  sleepers_.resize(count);
}

Checker::Sleeper Checker::make_sleeper(ThreadId t, std::uint16_t choice, std::uint32_t from) {
  const std::uint32_t own = order_.next_of(t, from);
  Sleeper s{t, choice, from, Order::kNone, own};
  Access touches[Order::kMostTouches];
  const std::uint32_t k = own == Order::kNone ? 0 : order_.touches_at(own, from, choice, touches);
  // It never went on, and nothing is known; or it is another choice of the same operation.
  if (own == Order::kNone || (own >= order_.steps() && k == 0) || own == from) {
    s.until = from;
  } else {
    s.until = order_.first_dependent(touches, k, from, own, Order::kNone);
    if (s.until == Order::kNone && own < order_.steps() && choice_of(order_.step(own)) != choice)
      s.until = own;
  }
  return s;
}

// Without a list of turns: the default comes first, then the others in order. Only priorities look
// at these.
void Checker::put_to_sleep_before(const Node& n) {
  if (n.step >= order_.steps()) return;
  const Step& s = log_->steps[n.step];
  if (s.decision == 0 || s.thread == s.standard) return;
  sleepers_.push_back(make_sleeper(s.standard, 0, n.step));
  for (std::uint32_t c = 0; c < s.candidate_count; ++c) {
    const ThreadId t = log_->lists[s.candidates + c];
    if (t == s.thread) return;
    if (t != s.standard) sleepers_.push_back(make_sleeper(t, 0, n.step));
  }
}

Checker::Priced Checker::price(std::uint32_t step, ThreadId thread, bool conservative,
                               bool by_race) {
  const Step& s = log_->steps[step];
  const bool preempts = s.running != thread && s.thread != thread && s.decision != 0 &&
                        order_.could_go(step, s.running);
  const Departure d{*log_,
                    order_,
                    step,
                    thread,
                    preemptions_[step] + preempts,
                    ++number_,
                    conservative,
                    asleep_at(thread, step),
                    by_race};
  Priced priced{{}, preempts};
  for (std::size_t i = 0; i < search_.orders.size(); ++i)
    for (const auto& p : search_.orders[i]) priced.costs[i] = priced.costs[i] << 16 | p->cost(d);
  return priced;
}

void Checker::push(NodeId parent, std::uint32_t step, ThreadId thread, std::uint16_t choice,
                   bool conservative, bool by_race) {
  const Priced priced = price(step, thread, conservative, by_race);
  sequence_.clear();
  sequence_.add(name_[thread], choice);
  fringe_.push(tree_.add(parent, step, priced.preempts, sequence_), priced.costs);
}

std::uint64_t Checker::estimate() const {
  return growth_ < 1
             ? counts_.executed + counts_.blocked +
                   static_cast<std::uint64_t>(static_cast<double>(fringe_.size()) / (1 - growth_))
             : 0;
}

}  // namespace jostle::checking
