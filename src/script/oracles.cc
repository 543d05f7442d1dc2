// Who resolves the choices of a script.
#include <algorithm>
#include <deque>
#include <jostle/script.hpp>
#include <map>

#include "base/rng.h"

namespace jostle::scripting {
namespace {

// Follows the choices of an earlier execution, then takes the first ones. Where the execution
// offers another number of choices than before it has strayed: what comes from there on is new.
class Prefix {
 public:
  struct Choice {
    std::uint32_t chosen, of;
  };
  // `first`: what is chosen where no execution has been before.
  std::uint32_t choose(std::uint32_t n, std::uint32_t first = 0) {
    if (at_ < path_.size() && path_[at_].of != n) {
      ++strayed_;
      path_.resize(at_);
    }
    if (at_ == path_.size()) path_.push_back({first, n});
    return path_[at_++].chosen;
  }
  void start(std::vector<Choice> path) {
    path_ = std::move(path);
    at_ = 0;
  }
  // What was not asked for again, because the execution ended before.
  void cut() {
    if (at_ < path_.size()) ++strayed_;
    path_.resize(at_);
  }
  std::vector<Choice>& path() { return path_; }
  std::uint64_t strayed() const { return strayed_; }

 private:
  std::vector<Choice> path_;
  std::size_t at_ = 0;
  std::uint64_t strayed_ = 0;
};

class DepthFirst final : public Oracle {
 public:
  std::uint32_t choose(std::uint32_t n) override { return prefix_.choose(n); }
  bool restart() override {
    prefix_.cut();
    auto path = prefix_.path();
    while (!path.empty() && path.back().chosen + 1 == path.back().of) path.pop_back();
    if (path.empty()) return false;
    ++path.back().chosen;
    prefix_.start(std::move(path));
    return true;
  }
  std::uint64_t strayed() const override { return prefix_.strayed(); }
  bool exhaustive() const override { return true; }

 private:
  Prefix prefix_;
};

// Each execution puts its untried siblings on a queue: those that branch off early, and with few
// departures from the first choices, come first.
class BreadthFirst final : public Oracle {
 public:
  std::uint32_t choose(std::uint32_t n) override { return prefix_.choose(n); }
  bool restart() override {
    prefix_.cut();
    const auto& path = prefix_.path();
    for (std::size_t i = given_; i < path.size(); ++i)
      for (std::uint32_t k = 1; k < path[i].of; ++k) {
        std::vector<Prefix::Choice> next(path.begin(),
                                         path.begin() + static_cast<std::ptrdiff_t>(i) + 1);
        next.back().chosen = k;
        queue_.push_back(std::move(next));
      }
    if (queue_.empty()) return false;
    given_ = queue_.front().size();
    prefix_.start(std::move(queue_.front()));
    queue_.pop_front();
    return true;
  }
  std::uint64_t strayed() const override { return prefix_.strayed(); }
  bool exhaustive() const override { return true; }

 private:
  Prefix prefix_;
  std::size_t given_ = 0;  // length of the path that the execution was given
  std::deque<std::vector<Prefix::Choice>> queue_;
};

class BestFirst final : public Oracle {
 public:
  explicit BestFirst(std::vector<Cost> costs) : costs_(std::move(costs)) {}
  void offer(std::span<const Event> threads) override {
    offered_.assign(threads.begin(), threads.end());
  }
  std::uint32_t choose(std::uint32_t n) override {
    const std::size_t at = asked_++;
    const std::uint32_t k = prefix_.choose(n, at < given_ ? 0 : cheapest(n, at));
    if (!offered_.empty()) {
      preemptions_ += interrupted_by(k) != nullptr;
      running_ = offered_[k].thread;
    }
    offered_.clear();
    return k;
  }
  bool restart() override {
    prefix_.cut();
    for (Sibling& s : found_) {
      std::vector<Prefix::Choice> path(
          prefix_.path().begin(),
          prefix_.path().begin() + static_cast<std::ptrdiff_t>(s.depth) + 1);
      path.back().chosen = s.chosen;
      left_.emplace(std::pair(std::move(s.costs), ~number_++), std::move(path));
    }
    found_.clear();
    offered_.clear();
    asked_ = preemptions_ = 0;
    running_ = Tid();
    if (left_.empty()) return false;
    given_ = left_.begin()->second.size();
    prefix_.start(std::move(left_.begin()->second));
    left_.erase(left_.begin());
    return true;
  }
  std::uint64_t strayed() const override { return prefix_.strayed(); }
  bool exhaustive() const override { return true; }

 private:
  struct Sibling {
    std::size_t depth;
    std::uint32_t chosen;
    std::vector<unsigned> costs;
  };
  // The thread that went on until now could go on, and is another one.
  const Event* interrupted_by(std::uint32_t k) const {
    for (const Event& e : offered_)
      if (e.thread == running_) return offered_[k].thread == running_ ? nullptr : &e;
    return nullptr;
  }
  // The others are for later.
  std::uint32_t cheapest(std::uint32_t n, std::size_t depth) {
    const auto first = static_cast<std::ptrdiff_t>(found_.size());
    for (std::uint32_t k = 0; k < n; ++k) {
      const bool thread = k < offered_.size();
      const Event* interrupted = thread ? interrupted_by(k) : nullptr;
      const Branch b{.depth = static_cast<unsigned>(depth),
                     .chosen = k,
                     .preemptions = preemptions_ + (interrupted != nullptr),
                     .event = thread ? &offered_[k] : nullptr,
                     .interrupted = interrupted};
      std::vector<unsigned> costs;
      costs.reserve(costs_.size());
      for (const Cost& c : costs_) costs.push_back(c(b));
      found_.push_back({depth, k, std::move(costs)});
    }
    const auto best =
        std::min_element(found_.begin() + first, found_.end(),
                         [](const Sibling& a, const Sibling& b) { return a.costs < b.costs; });
    const std::uint32_t k = best->chosen;
    found_.erase(best);
    return k;
  }

  std::vector<Cost> costs_;
  Prefix prefix_;
  // Of this execution.
  std::size_t given_ = 0, asked_ = 0;  // choices that were made before, and so far
  unsigned preemptions_ = 0;
  Tid running_;
  std::vector<Event> offered_;
  std::vector<Sibling> found_;
  // Not executed yet: the cheapest first, of equal ones the last.
  std::map<std::pair<std::vector<unsigned>, std::uint64_t>, std::vector<Prefix::Choice>> left_;
  std::uint64_t number_ = 0;
};

class Random final : public Oracle {
 public:
  Random(std::uint64_t seed, std::uint64_t executions) : left_(executions) { rng_.seed(seed); }
  std::uint32_t choose(std::uint32_t n) override { return rng_.below(n); }
  bool restart() override { return left_ > 1 && --left_ > 0; }

 private:
  Rng rng_;
  std::uint64_t left_;
};

class Replayed final : public Oracle {
 public:
  explicit Replayed(std::vector<std::uint32_t> choices) : choices_(std::move(choices)) {}
  std::uint32_t choose(std::uint32_t n) override {
    const std::uint32_t k = at_ < choices_.size() ? choices_[at_++] : 0;
    if (k >= n) ++strayed_;
    return k < n ? k : 0;
  }
  bool restart() override { return false; }
  std::uint64_t strayed() const override { return strayed_; }

 private:
  std::vector<std::uint32_t> choices_;
  std::size_t at_ = 0;
  std::uint64_t strayed_ = 0;
};

}  // namespace

std::unique_ptr<Oracle> depth_first() { return std::make_unique<DepthFirst>(); }
std::unique_ptr<Oracle> breadth_first() { return std::make_unique<BreadthFirst>(); }
std::unique_ptr<Oracle> best_first(std::vector<Cost> costs) {
  return std::make_unique<BestFirst>(std::move(costs));
}
unsigned fewer_preemptions(const Branch& b) { return b.preemptions; }
Cost before(const Predicate& p) {
  return [p](const Branch& b) { return b.event && p(*b.event) ? 0u : 1u; };
}
Cost between(const Predicate& p) {
  return [p](const Branch& b) {
    const bool next = b.event && p(*b.event), last = b.interrupted && p(*b.interrupted);
    return next && last ? 0u : next || last ? 1u : 2u;
  };
}
Cost in_random_order(std::uint64_t seed) {
  return [rng = Rng(seed)](const Branch&) mutable { return rng.below(1u << 16); };
}
std::unique_ptr<Oracle> random(std::uint64_t seed, std::uint64_t executions) {
  return std::make_unique<Random>(seed, executions);
}
std::unique_ptr<Oracle> replay(std::vector<std::uint32_t> choices) {
  return std::make_unique<Replayed>(std::move(choices));
}

}  // namespace jostle::scripting
