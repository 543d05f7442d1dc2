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
  estimate_ = {};
  absorbed_ = 0;
  classes_.clear();
  deferred_.clear();
  all_fails_.assign(1, {});
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

std::uint16_t Checker::root_number_of(const std::vector<Trail::Level>& path) const {
  std::uint16_t number = 0;
  for (const Trail::Level& level : path)
    if (level.thread == kNoThread) number = level.choice;
  return number;
}

bool Checker::next(Planned& out) {
  fetch();
  if (fringe_.empty()) return false;
  out.node = fringe_.pop();
  tree_.set_taken(out.node, true);
  tree_.plan(out.node, out.turns);
  const Trail& trail = tree_.lead_to(out.node);
  out.fails.copy(all_fails_[root_number_of(trail.levels)]);
  out.asleep.clear();
  // Whoever was put on the list before the turns of this execution, at their places; a branch's
  // place is later than that of what it branches off from.
  for (std::size_t i = 0; i < trail.levels.size() && sleeps(); ++i)
    for (const Turn& t : trail.listed_before(i))
      if (t.thread != trail.levels[i].thread) out.asleep.push_back(t);
  return true;
}

void Checker::give_back(NodeId node) {
  tree_.set_taken(node, false);
  fringe_.push(node, Costs{});
  put_deferred_below(node);
}

std::uint16_t Checker::encode_choice(const Step& s, std::uint32_t option) const {
  if (s.choice_kind == ChoiceKind::waiter)
    return static_cast<std::uint16_t>(1 + name_[log_->lists[s.waiters + option]]);
  return static_cast<std::uint16_t>(1 + option);
}

std::uint16_t Checker::choice_of(const Step& s) const {
  return s.choice_made && !(s.weak && sleeps()) ? encode_choice(s, s.choice) : 0;
}

// As threads of the execution; and how many of them did so.
void Checker::read_fails() {
  if (fails().count == 0) {
    order_.set_fails(fails());
  } else {
    Fails here = fails();
    for (Fail& f : std::span(here.list, here.count))
      f.thread = f.thread < names_.count ? thread_[f.thread] : kNoThread;
    order_.set_fails(here);
  }
  failures_ = 0;
  for (std::uint32_t i = 0; log_->any_weak && i < log_->step_count; ++i)
    failures_ += log_->steps[i].fails();
}

void Checker::absorb(NodeId node, const StepLog& log, Followed followed, bool left_out,
                     bool held_back) {
  log_ = &log;
  node_ = node;
  // What lies before the departure was looked at when the parent was executed.
  order_.read(log, tree_[node].step);
  path_ = tree_.lead_to(node).levels;
  root_number_ = root_number_of(path_);
  counts_.truncated |= log.truncated;
  if (log.beyond[0] && counts_.beyond.empty()) counts_.beyond = log.beyond;
  counts_.held_back |= held_back;
  counts_.limit |= log.limited != kNoThread;
  counts_.limits |= log.limits || (log.slept && log.ran_out);
  counts_.deepest = std::max(counts_.deepest, log.step_count);

  name_.resize(log.thread_count);
  for (std::uint32_t t = 0; t < log.thread_count; ++t) name_[t] = names_.of(log.path[t], t);
  lasting_.read(log, name_);
  thread_.assign(names_.count, kNoThread);
  for (std::uint32_t t = 0; t < log.thread_count; ++t)
    if (name_[t] != kNoThread) thread_[name_[t]] = static_cast<ThreadId>(t);
  read_fails();
  preemptions_.resize(log.step_count + 1);  // the first is 0
  for (std::uint32_t i = order_.kept(); i < log.step_count; ++i)
    preemptions_[i + 1] = preemptions_[i] + log.steps[i].preempts;
  counts_.preemptions = std::max(counts_.preemptions, preemptions_[log.step_count]);

  const std::uint32_t begin = tree_[node].step;
  const Sequence& planned = tree_.planned(node);
  choices_.clear();
  for (std::uint32_t i = begin; i < log.step_count && i - begin < planned.size(); ++i) {
    const ThreadId t = thread_[planned[i - begin].thread];
    if (t != log.steps[i].thread) {
      // Where it could not go on because it was held back, there may have been nothing to decide.
      const bool held = t != kNoThread && log.held_from[t] <= i && i < log.held_until[t];
      if (held && followed == Followed::exactly) followed = Followed::too_early;
      break;
    }
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
    const bool repeated = sleeps() && failures_ != fails().count;
    ++(end != Order::kNone ? counts_.blocked
       : left_out          ? counts_.left_out
       : repeated          ? counts_.repeated
                           : counts_.executed);
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
    if (sleeps() && end == Order::kNone) expand_fails();
  }
  put_deferred_below(node);
  estimate_.add(++absorbed_, tree_.created());
  tree_.settle(node);
}

// Who has a say about the turns at a step: the node whose own execution goes through it.
NodeId Checker::owner(std::uint32_t step) const {
  NodeId best = kRoot;
  for (const Trail::Level& level : path_)
    if (tree_.is_root(level.node) || level.step < step) best = level.node;
  return best;
}

// The first choice was taken: now it is known which one that is.
void Checker::name_choice(const Trail::Level& level) {
  if (level.choice != 0 || level.step >= order_.steps() || tree_.is_root(level.node)) return;
  const Step& s = log_->steps[level.step];
  if (const std::uint16_t c = choice_of(s); c != 0 && !unreduced()) tree_.set_choice(level.node, c);
}

void Checker::find_sleepers() {
  if (!sleeps()) {
    sleepers_.clear();
    name_choice(path_.back());
    for (std::size_t i = 1; i < path_.size() && unreduced(); ++i)
      put_to_sleep_before(tree_[path_[i].node]);
    return;
  }
  for (const Trail::Level& level : path_) name_choice(level);
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
  for (const Turn& t : tree_.lead_to(node_).listed)
    if (thread_[t.thread] != kNoThread) add(thread_[t.thread], t.choice, t.step);
  sleepers_.resize(count);
}

Checker::Sleeper Checker::make_sleeper(ThreadId t, std::uint16_t choice, std::uint32_t from) {
  const std::uint32_t own = order_.next_of(t, from);
  Sleeper s{t, choice, from, Order::kNone, own};
  Access touches[Order::kMostTouches];
  const std::uint32_t k = own == Order::kNone ? 0 : order_.touches_at(own, from, touches);
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

std::vector<std::string> Checker::unmet() const {
  std::vector<std::string> out;
  for (const Priorities& order : search_.orders)
    for (const auto& p : order)
      if (std::string what = p->unmet(); !what.empty()) out.push_back(std::move(what));
  return out;
}

}  // namespace jostle::checking
