// What each thread does next, given what it has read so far: all executions that were made, merged.
// A thread that reads the same values does the same again; so where a read sees a value that some
// execution saw there, what follows is known. Where it sees another, what the thread did elsewhere
// when it read that value at that place is likely to follow; how likely, is learned.
#pragma once

#include <map>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/rng.h"
#include "cover/execution.h"

namespace jostle::covering {

class Behaviour {
 public:
  static constexpr std::uint32_t kEnd = 0;  // no operation

  // One operation of a thread, after all that it read before.
  struct Node {
    SiteKey site = 0;
    std::uint32_t object = 0;  // number; fork, join: the thread
    Did did = Did::read;
    bool mixed = false;   // a compare-exchange: a write or a read, as its ways say
    bool reads = false;   // what follows depends on what is there; a signal: to all
    bool counts = false;  // memory or a lock that several threads touch
    struct Way {
      std::uint64_t read = 0;     // if it reads: this
      std::uint64_t written = 0;  // if it writes: this
      bool written_known = false;
      Did did = Did::read;
      std::uint32_t next = kEnd;
    };
    std::vector<Way> ways;
  };

  // `shared`: objects that several threads touch. When there are more, start again.
  void add(const std::vector<AccessRecord>& records, const std::unordered_set<Address>& shared);

  std::size_t threads() const { return first_.size(); }
  std::size_t objects() const { return numbers_.size(); }
  std::uint32_t first_of(ThreadId t) const { return first_[t]; }
  const Node& node(std::uint32_t n) const { return nodes_[n]; }
  Address address(std::uint32_t object) const { return addresses_[object]; }
  bool initial(std::uint32_t object, std::uint64_t& value) const {
    value = initial_[object];
    return initial_known_[object];
  }
  // The last places where a thread has read, and what.
  struct Context {
    static constexpr std::size_t kLast = 4;
    std::uint64_t last[kLast] = {};
    void add(SiteKey site, std::uint64_t read) {
      for (std::size_t i = kLast - 1; i > 0; --i) last[i] = last[i - 1];
      last[0] = combine64(pc_of(site), read);
    }
  };
  // What the thread did after reading the value in the most similar situation that is known, and
  // how likely it is to do the same; null: there is none.
  struct Guess {
    const Node::Way* way = nullptr;
    double sure = 0;
  };
  Guess guess(ThreadId t, const Node& n, std::uint64_t value, const Context& context) const;
  // What a write at the place leaves, where that is always so much more than what was there when
  // the thread looked.
  bool adds(SiteKey site, std::uint64_t& delta) const {
    const auto it = steps_.find(site);
    if (it == steps_.end() || it->second.others > 0 || it->second.same < 2) return false;
    delta = it->second.delta;
    return true;
  }
  // How often what a thread does after reading at a place did not depend on the value.
  double trust(SiteKey site) const {
    const auto it = trust_.find(site);
    return it == trust_.end() ? kFirst : (it->second.same + 2 * kFirst) / (it->second.all + 2);
  }
  // Looks at all that is known, if that is notably more than the last time.
  void learn_trust();
  std::uint32_t semaphore(std::uint32_t object) const { return at_first_[object]; }
  std::uint32_t barrier(std::uint32_t object) const { return arrivals_[object]; }

 private:
  static constexpr double kFirst = 0.7;
  struct Trust {
    double same = 0, all = 0;
  };
  struct Step {
    std::uint64_t delta = 0;
    std::uint32_t same = 0, others = 0;
  };
  // How alike a situation is: the place, and a value near by; the very value; also the object; also
  // the last read; also the one before; also those before.
  static constexpr int kNear = 0, kLevels = 6;
  struct Like {
    std::uint32_t node = kEnd, way = 0;
  };
  static std::uint64_t key(int level, ThreadId t, const Node& n, std::uint64_t value,
                           const Context& context);
  const Like* like(ThreadId t, const Node& n, std::uint64_t value, const Context& context,
                   int& level) const;
  std::uint32_t number(Address a);

  std::vector<Node> nodes_ = {Node()};
  std::vector<std::uint32_t> first_;  // by thread
  std::unordered_map<Address, std::uint32_t> numbers_;
  std::unordered_map<SiteKey, Trust> trust_;
  std::unordered_map<std::uint64_t, Like> alike_;                          // by key()
  std::unordered_map<std::uint64_t, std::map<std::uint64_t, Like>> near_;  // and by value
  Trust levels_[kLevels];                    // how often guesses were right
  std::unordered_map<SiteKey, Step> steps_;  // of writes
  std::size_t trusted_ = 0;                  // nodes that it was learned from
  // By object.
  std::vector<Address> addresses_;
  std::vector<std::uint64_t> initial_;
  std::vector<bool> initial_known_;
  std::vector<std::uint32_t> at_first_;  // what a semaphore must have had
  std::vector<std::uint32_t> arrivals_;  // that open a barrier
};

}  // namespace jostle::covering
