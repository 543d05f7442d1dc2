// Who resolves the choices of a script.
#include <deque>
#include <jostle/script.hpp>

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
  std::uint32_t choose(std::uint32_t n) {
    if (at_ < path_.size() && path_[at_].of != n) {
      ++strayed_;
      path_.resize(at_);
    }
    if (at_ == path_.size()) path_.push_back({0, n});
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
std::unique_ptr<Oracle> random(std::uint64_t seed, std::uint64_t executions) {
  return std::make_unique<Random>(seed, executions);
}
std::unique_ptr<Oracle> replay(std::vector<std::uint32_t> choices) {
  return std::make_unique<Replayed>(std::move(choices));
}

}  // namespace jostle::scripting
