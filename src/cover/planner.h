// Executes in the mind: threads do what they are known to do (see Behaviour) in one order after the
// other, and the order that exposes most of what was not seen yet is kept. Threads are created
// before they run and have ended before they are joined, locks exclude, and waits wait. Where a
// thread reads what it never read there, one of the ways that are known is taken for granted; what
// it does from then on counts for less. But to see what it really does may be worth something, too.
#pragma once

#include <algorithm>

#include "base/rng.h"
#include "cover/behaviour.h"
#include "cover/exposure.h"
#include "cover/feasibility.h"
#include "cover/hash_set.h"

namespace jostle::covering {

struct Planned {
  std::vector<Turn> turns;
  std::vector<std::uint64_t> fresh;  // hashes of items that it should expose and that are wanted
  double worth = 0;                  // of them all, by how likely they are
};

class Planner {
 public:
  // What counts.
  struct Metrics {
    bool iroots = true, pairs = true;
  };
  explicit Planner(const Behaviour& behaviour, Metrics metrics)
      : behaviour_(behaviour), metrics_(metrics) {}

  // The best of so many orders at most: where it took half of them to find it, and the other half
  // was no better, more of them are hardly worth the time. `worth`: of the item with a hash, from 1
  // down to 0 if nobody wants it any more; and likewise of a surprise: that a thread reads what it
  // never read at a place.
  // `surprise`: what that is worth, in items. `longest`: how many accesses an order may have; where
  // what is known of threads leads in circles, it would not come to an end.
  template <class Worth>
  Planned plan(Worth worth, double surprise, std::uint32_t window, std::uint32_t orders,
               std::size_t longest, Rng& rng) {
    Planned best;
    surprise_ = surprise;
    longest_ = longest;
    for (std::uint32_t k = 0, found = 0; k < orders; ++k) {
      if (found > 0 && k >= std::max(kLeast, 2 * found)) break;
      const double sum = play(worth, window, k, rng);
      if (sum <= best.worth) continue;
      found = k + 1;
      best.worth = sum;
      best.turns = turns_;
      best.fresh = now_.all();
    }
    return best;
  }
  std::size_t length() const { return turns_.size(); }  // of the last

 private:
  static constexpr std::uint32_t kLeast = 32;  // orders, once one is worth something

  struct Object {
    std::uint64_t value = 0;
    bool known = false;  // is the value?
    ThreadId owner = kNoThread;
    std::uint32_t readers = 0;
    std::uint32_t given = 0, taken = 0;  // posts and arrivals; takes
    std::uint32_t last = 0;              // access: 1 + index
    SiteKey acquired = 0;                // where it was taken last
  };
  struct Actor {
    std::uint32_t next = Behaviour::kEnd;
    std::uint32_t latest = 0;      // access: 1 + index
    std::uint32_t generation = 0;  // of the barrier that it is at
    std::uint32_t waits_on = 0;    // 1 + condition
    std::uint64_t priority = 0, waits_since = 0;
    double sure = 1;        // that it does this
    bool known_way = true;  // is it where an execution has been?
    Behaviour::Context context;
    bool created = false, woken = false;
  };

  void start();
  bool can_go(const Actor& a) const;
  void make(ThreadId t, std::uint32_t window, Rng& rng);
  const Behaviour::Node::Way& touch(ThreadId t, const Behaviour::Node& n, Rng& rng);
  void wake(std::uint32_t condition, bool all);
  PastAccess access(ThreadId t) const;

  // Calls f with the hash and the worth of each item that the next step of t completes, if that is
  // worth something.
  template <class Worth, class F>
  void fresh_of(ThreadId t, std::uint32_t window, Worth& worth, F f) {
    const Behaviour::Node& n = behaviour_.node(actors_[t].next);
    if (!n.counts) return;
    if (surprise_ > 0 && surprising(n)) {
      const std::uint64_t hash = combine64(actors_[t].next, objects_[n.object].value);
      if (const double w = surprise_ * worth(hash); w > 0 && !now_.has(hash)) f(hash, w);
    }
    const auto check = [&](const Item& i) {
      const std::uint64_t hash = i.hash();
      if (const double w = worth(hash); w > 0 && !now_.has(hash)) f(hash, w);
    };
    const Object& o = objects_[n.object];
    if (metrics_.iroots) Exposure(past_.data(), window).completed_by(access(t), o.last, check);
    if (metrics_.pairs && is_acquire(n.did) && o.acquired != 0)
      check(Item{Idiom::pair, {o.acquired, n.site}});
  }
  bool surprising(const Behaviour::Node& n) const {
    const Object& o = objects_[n.object];
    return is_memory(n.did) && n.reads && o.known && !way_of(n);
  }
  // The way on from there with what is there now; null: none is known.
  const Behaviour::Node::Way* way_of(const Behaviour::Node& n) const {
    const Object& o = objects_[n.object];
    for (const Behaviour::Node::Way& w : n.ways)
      if (w.read == o.value) return &w;
    return nullptr;
  }
  // How likely what the next step of t completes is as planned.
  double weight(ThreadId t) const {
    const std::uint32_t from = objects_[behaviour_.node(actors_[t].next).object].last;
    return actors_[t].sure * (from ? actors_[past_[from - 1].thread].sure : 1);
  }

  template <class Worth>
  double play(Worth& worth, std::uint32_t window, std::uint32_t k, Rng& rng);

  const Behaviour& behaviour_;
  const Metrics metrics_;
  double surprise_ = 0;
  std::size_t longest_ = 0;
  std::vector<Actor> actors_;
  std::vector<Object> objects_;
  std::vector<std::uint32_t> own_;  // by object and thread, its last access: 1 + index; 0: none
  std::vector<std::uint64_t> saw_;  // by object and thread, what it read last
  std::vector<PastAccess> past_;
  std::vector<Turn> turns_;
  std::vector<ThreadId> ready_;
  HashSet now_;  // what this order has exposed
};

template <class Worth>
double Planner::play(Worth& worth, std::uint32_t window, std::uint32_t k, Rng& rng) {
  start();
  for (Actor& a : actors_) a.priority = rng.next();
  // Mostly what gains most, with more or less chance; and, in turns, two ways to be random.
  const std::uint32_t way = k % 4 == 0 ? k / 4 % 2 : 2, stickiness = 1 + rng.below(6),
                      greed = 1 + rng.below(8);
  ThreadId running = 0;
  double sum = 0;
  while (past_.size() < longest_) {
    ready_.clear();
    for (std::size_t t = 0; t < actors_.size(); ++t)
      if (can_go(actors_[t])) ready_.push_back(static_cast<ThreadId>(t));
    if (ready_.empty()) break;  // the end, or a deadlock: what came before may still be worth it
    ThreadId chosen = ready_[rng.below(static_cast<std::uint32_t>(ready_.size()))];
    if (way == 0) {  // each operation has a priority of its own
      for (const ThreadId t : ready_)
        if (actors_[t].priority > actors_[chosen].priority) chosen = t;
      actors_[chosen].priority = rng.next();
    } else if (rng.below(stickiness) != 0 &&
               std::find(ready_.begin(), ready_.end(), running) != ready_.end()) {
      chosen = running;
    }
    if (way == 2 && rng.below(greed) != 0) {
      double most = 0;
      for (const ThreadId t : ready_) {
        double n = 0;
        fresh_of(t, window, worth, [&](std::uint64_t, double w) { n += w; });
        if (n > 0) n *= weight(t);
        if (n > most) {
          most = n;
          chosen = t;
        }
      }
    }
    running = chosen;
    if (behaviour_.node(actors_[chosen].next).counts) {
      const double w = weight(chosen);
      fresh_of(chosen, window, worth, [&](std::uint64_t hash, double each) {
        now_.add(hash);
        sum += w * each;
      });
    }
    make(chosen, window, rng);
  }
  return sum;
}

}  // namespace jostle::covering
